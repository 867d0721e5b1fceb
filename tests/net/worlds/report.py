"""What rounds came to: a line for each, and tables over all."""
import collections
import os


def came_to(played):
    acts = [collections.Counter(outcomes.values()) for outcomes in played.outcomes]
    return "; then ".join(", ".join(f"{number} {name}" for name, number in sorted(ends.items())) for ends in acts)


def tell(played):
    world = played.world
    if played.problem:
        print(f"FAILED: {played.problem}")
        for party in world.cast.parties:
            path = os.path.join(played.folder, f"p{party.place}.log")
            if os.path.exists(path):
                with open(path, errors="replace", encoding="utf-8") as log:
                    print(f"-- p{party.place}, {party.role}\n{''.join(log.readlines()[-12:])}", end="")
    again = "; again in a whole world" if played.again else ""
    print(f"SOTTO_TEST_SEED={world.seed}: {world}: {came_to(played)}{again} ({played.seconds:.1f} s)", flush=True)


def table(title, rows):
    """`rows`: name to rounds."""
    print(f"\n{title:32}{'rounds':>8}{'completed at once':>20}{'in the second act':>20}{'in a whole world':>20}{'failed':>8}")
    for name, all_played in sorted(rows.items()):
        good = [played for played in all_played if not played.problem]
        whole = sum(played.again for played in good)
        second = sum(not played.again and len(played.outcomes) > 1 for played in good)
        print(f"{name:32}{len(all_played):8}{len(good) - whole - second:20}{second:20}{whole:20}"
              f"{len(all_played) - len(good):8}")


def by(played, kinds):
    """A round is of several kinds, if its acts are."""
    rows = collections.defaultdict(list)
    for one in played:
        for kind in kinds(one):
            rows[kind].append(one)
    return rows


def coverage(played):
    """At which tenth of an undisturbed run's steps faults happened, of those that were planned there."""
    print("\nfaults at each tenth of a run's steps, happened of planned")
    for step in ("message", "sync"):
        planned, struck = collections.Counter(), collections.Counter()
        places = set()
        for one in played:
            for fault in (fault for act in one.acts() for fault in act.faults):
                if fault.kind != "disk" and fault.step == step:
                    tenth = min(9, 10 * (fault.at - 1) // fault.of)
                    planned[tenth] += 1
                    if fault in one.struck:
                        struck[tenth] += 1
                        places.add((one.world.cast.name, fault.place, fault.at))
        print(f"{step:10}" + "".join(f"{f'{struck[t]}/{planned[t]}':>9}" for t in range(10)) +
              f"   {len(places)} different steps")


def summarise(all_played, calms):
    """Prints the tables; True when no round failed."""
    played = [one for one in all_played if one is not None]
    table("all", {"": played})
    table("cast", by(played, lambda one: [one.world.cast.name + (", fresh noise" if one.world.fresh else "")]))
    table("network", by(played, lambda one: {act.network for act in one.acts()}))
    table("fault", by(played, lambda one: {fault.kind for act in one.acts() for fault in act.faults} or {"no fault"}))
    ends = collections.Counter(name for one in played for ends in one.outcomes for name in ends.values())
    print("\nends of parties in disturbed worlds: " + ", ".join(f"{name} {n}" for name, n in ends.most_common()))
    coverage(played)
    for name, calm in calms.items():
        steps = ", ".join(f"p{place} {count['message']}/{count['sync']}" for place, count in calm.steps.items())
        print(f"{name}: messages/syncs of an undisturbed run: {steps}; charges {list(calm.charges.values())}")
    failed = [one for one in played if one.problem]
    print(f"\n{len(played)} rounds, {len(failed)} failed" +
          "".join(f"\n  SOTTO_TEST_SEED={one.world.seed} ROUNDS=1: {one.problem}" for one in failed), flush=True)
    return not failed and len(played) == len(all_played)
