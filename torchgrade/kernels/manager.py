"""A kernel manager whose kernels are in the jail, whatever the default of this program is."""

from __future__ import annotations

import uuid
from typing import Any

from jupyter_client.manager import AsyncKernelManager

from torchgrade.kernels.provisioner import NAME, JailProvisioner


class JailedKernelManager(AsyncKernelManager):
    """jupyter_client's own, with the provisioner chosen here: one in a kernel's specification counts only if it is ours."""

    async def start_kernel(self, **kw: Any) -> None:  # type: ignore[override]
        """Start the kernel in the jail, as jupyter_client does with the provisioner that it finds."""
        self.kernel_id = self.kernel_id or kw.pop("kernel_id", str(uuid.uuid4()))
        if self.provisioner is None:
            spec: Any = self.kernel_spec
            stanza = spec.metadata.get("kernel_provisioner", {})
            own = stanza.get("config", {}) if stanza.get("provisioner_name") == NAME else {}
            self.provisioner = JailProvisioner(kernel_id=self.kernel_id, kernel_spec=spec, parent=self, **own)
        await super().start_kernel(**kw)
