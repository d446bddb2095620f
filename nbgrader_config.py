"""The course's configuration: nbgrader's settings and torchgrade's, in one file.

Read by every command of nbgrader and of torchgrade, and by Formgrader. A line that starts with ``# c.`` shows a default;
take the ``# `` away to change it.
"""

# ruff: noqa: ERA001 - the defaults stand here as comments, to be taken over

from torchgrade.gradebook import configure

c = get_config()  # noqa: F821 - traitlets, which reads this file, provides it

# nbgrader generates, autogrades and makes feedback with torchgrade: no kernel is started and nothing of a student's is
# run by nbgrader; marks come from the records in results/. What stands below this line may change what it sets.
configure(c)

# --- The course --------------------------------------------------------------------------------------------------------

# The name under which the exchange and Formgrader know the course.
c.CourseDirectory.course_id = "torchgrade"

# Where the gradebook is. Any database that SQLAlchemy knows; the default is a file in this folder.
# c.CourseDirectory.db_url = "sqlite:////path/to/gradebook.db"
# On a PostgreSQL server, with the extra torchgrade[postgresql]:
# c.CourseDirectory.db_url = "postgresql+psycopg://user:password@host/course"

# Students are added to the gradebook when a submission of theirs is graded. With False, only those whom you added
# yourself (nbgrader db student add ...) are graded.
# c.Autograde.create_student = True

# --- The exchange ------------------------------------------------------------------------------------------------------

# The folder through which assignments are fetched and submitted. It must exist, and everyone must be able to write to
# it (chmod ugo+rwx). Without an exchange, put submissions into submitted/<student>/<assignment>/ yourself.
# c.Exchange.root = "/usr/local/share/nbgrader/exchange"

# --- Late submissions --------------------------------------------------------------------------------------------------

# A submission's time is read from the timestamp.txt beside it, which nbgrader collect writes. By default a late one
# costs nothing; "zero" gives it no marks. A class of your own may subtract something between.
# c.LateSubmissionPlugin.penalty_method = "none"

# --- Grading as submissions arrive: torchgrade watch ----------------------------------------------------------------------

# Submissions of one student that are graded within an hour; a newer one waits, and the student's feedback says so.
# c.Watch.gradings_per_hour = 6

# Seconds between two looks at the exchange.
# c.Watch.every_seconds = 30.0

# --- Pages ------------------------------------------------------------------------------------------------------------

# Whether a page says which mistake of the bank fails just the checks that a submission fails: as a guess.
# c.Pages.name_misconceptions = True

# Where students find what `torchgrade solutions` wrote, once the deadline has passed: feedback pages link to it.
# c.Pages.solutions = "https://example.org/solutions/{assignment}.html"

# --- Audits -------------------------------------------------------------------------------------------------------------

# Where torchgrade audit keeps what it found. Commit that folder, and `torchgrade audit --check` can hold it against the course.
c.Audits.folder = "benchmarks/audits"

# --- What a submission may take: torchgrade's limits -------------------------------------------------------------------
# They hold for each submission. Changing one grades everything again.

# Seconds that one call of a student's function may take. A check may ask for another limit.
# c.Limits.call_seconds = 10.0

# Seconds that all cells of a notebook together may take to run, before any check.
# c.Limits.cells_seconds = 10.0

# Seconds that the checks of one submission may take in all; the checks after that fail.
# c.Limits.submission_seconds = 60.0

# Megabytes of memory for all processes of a submission together, beyond what torch itself takes.
# c.Limits.memory_mb = 1024

# Megabytes of a GPU's memory that a submission may take, beyond what CUDA itself takes.
# c.Limits.gpu_memory_mb = 4096

# Megabytes that a submission may write to /tmp, and as many to /dev/shm. They count as memory.
# c.Limits.scratch_mb = 64

# Processes and threads at a time, and open files of one process.
# c.Limits.processes = 64
# c.Limits.open_files = 256

# Kilobytes of printed output that are read; printing more ends what runs.
# c.Limits.output_kb = 256

# Megabytes that one answer of a student's function, and a submitted notebook, may have.
# c.Limits.answer_mb = 256
# c.Limits.notebook_mb = 20.0

# Megabytes that the files beside an assignment's notebook may have in all; submissions can read them.
# c.Limits.data_mb = 100.0

# --- Tests in the notebook's own cells: docs/classic.md -------------------------------------------------------------------
# Only for a course whose configuration calls torchgrade.classic.configure(c); also for other programs' kernels in the jail.

# Kernels that may run outside the jail, by name, with a space between; all but this Python's are refused.
# c.JailProvisioner.unjailed = ""

# Modules that are imported once, before the kernels are forked, with a space between.
# c.JailProvisioner.preload = ""

# What plain nbgrader counts: stderr as a failure; any last value that is no score, and a cell that was not run, as full marks.
# c.SaveScores.stderr_fails = False
# c.SaveScores.other_values_pass = False
# c.SaveScores.unrun_passes = False
