"""How long all jobs take on so many cores, and which cores wait, by config/costs.csv.

    python benchmarks/schedule.py --cores 2 16 [--configfile YAML]

List scheduling, as Snakemake's greedy scheduler does it: whenever a core is free, the job of
highest priority that fits is started; a race fits when as many cores are free as it keeps
(``timing.cores``). The jobs are those of both lanes and the studies that `all` asks for, each with
its trials and the start of a process. Data, figures and tables have no measured costs and are left
out. Order ``plan`` is that in which jobs are planned, for comparison.

Printed: seconds until the last job ends, seconds of all races together and of the longest other
job, and for how long at most a core had nothing to do at a time, until a job was started on
it or all was done.
"""

import argparse
import heapq
from dataclasses import dataclass
from itertools import product

from optimist.config.load import load_config
from optimist.plan.costs import priority
from optimist.plan.plan import Plan

# Start and end of a process of the workflow (benchmarks/job_start.py).
START_SECONDS = 0.3


@dataclass(frozen=True)
class Task:
    """A job: its seconds, and whether it keeps cores to itself."""

    seconds: float
    alone: bool

    @property
    def priority(self):
        return priority((self.seconds, 0.0))


def tasks(plan):
    """Return the jobs of a plan in its order."""
    is_alone, found = plan.config["timing"]["exclusive"], []
    for trials in plan.trials:
        if trials.group == "paper" and trials.lane == "regret":
            found += [(plan.costs.seconds(part), False) for part in plan.trials.parts(trials)]
    for name in plan.papers:
        for race in plan.trials.races(name).values():
            if race.trials[0].group == "paper":
                found.append((sum(map(plan.costs.seconds, race.trials)), is_alone))
        studies = plan.studies.names(name)
        found += [(plan.costs.study(study, name)[0], False) for study in studies]
    return [Task(START_SECONDS + seconds, alone) for seconds, alone in found]


def simulate(waiting, cores, kept):
    """Return when the last job ends, and the longest wait of a core.

    ``waiting`` are the jobs, those to be started first in front; one that is alone takes ``kept``.
    """
    waiting, now, longest = list(waiting), 0.0, 0.0
    idle = [0.0] * cores  # since when each free core has had nothing to do
    running = []  # ends, with numbers of cores
    while waiting or running:
        for task in list(waiting):
            taken = kept if task.alone else 1
            if len(idle) >= taken:
                longest = max(longest, *(now - idle.pop(0) for _ in range(taken)), 0.0)
                heapq.heappush(running, (now + task.seconds, taken))
                waiting.remove(task)
        now, taken = heapq.heappop(running)
        idle += [now] * taken
    return now, max(longest, now - idle[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, nargs="+", default=[2, 16])
    parser.add_argument("--configfile", nargs="+", default=[])
    options = parser.parse_args()
    print("jobs,cores,order,end,alone,longest,wait")
    plan = Plan(load_config(*options.configfile))
    found = tasks(plan)
    alone = sum(task.seconds for task in found if task.alone)
    longest = max(task.seconds for task in found if not task.alone)
    first = sorted(found, key=lambda task: -task.priority)
    for cores, (order, waiting) in product(options.cores, (("plan", found), ("priority", first))):
        end, wait = simulate(waiting, cores, plan.jobs.cores(cores))
        numbers = ",".join(f"{number:.0f}" for number in (end, alone, longest, wait))
        print(f"{len(found)},{cores},{order},{numbers}", flush=True)


if __name__ == "__main__":
    main()
