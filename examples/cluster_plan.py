"""A run on a cluster in miniature, planned and not submitted.

A small overlay asks for two algorithms in one setting, with few rounds and trials. The profile for
Slurm then says which jobs would be submitted, and with how much memory and time. The same command
without `--dry-run` submits them, on a login node; nothing here needs Slurm.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from optimist.core.root import project_root

OVERLAY = {
    "only": {"settings": ["logistic_s3"], "algorithms": ["glb_omd", "gloc"]},
    "caps": {"rounds": 100, "trials": 4},
}
# A folder without results, so that the plan is whole.
FOLDER = "results/planned"
JOB = re.compile(
    r"^ *rule (?P<rule>run|time):\n *(?:input: .*\n *)?output: (?P<output>.+?)\n.*?"
    r"mem_mb=(?P<memory>\d+).*?runtime=(?P<minutes>\d+)",
    flags=re.M | re.S,
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        overlay = Path(folder, "tiny.yaml")
        overlay.write_text(yaml.safe_dump({**OVERLAY, "results": FOLDER}))
        command = [
            *("snakemake", "results", "--dry-run", "--nolock", "--profile", "profiles/slurm"),
            *("--configfile", "config/cluster.yaml", str(overlay)),
        ]
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=project_root(), capture_output=True, text=True
        )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    print(f"{'memory, MB':>10}  {'minutes':>7}  {'rule':<5} output")
    for job in JOB.finditer(done.stdout + done.stderr):
        output = job["output"].removeprefix(f"{FOLDER}/").removesuffix(".parquet")
        print(f"{job['memory']:>10}  {job['minutes']:>7}  {job['rule']:<5} {output}")


if __name__ == "__main__":
    main()
