#!/usr/bin/python3
"""Draws the tables that ebb run --trace DIR writes: trace.py DIR PICTURE.png

It needs Debian's python3-pandas and python3-matplotlib.
"""
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

MOST = 6  # threads and methods with a colour of their own


def table(directory, name):
    return pd.read_csv(os.path.join(directory, name + ".csv"))


def by_time(windows, rows, key, value):
    """A column for each of the largest keys, by the windows' begin."""
    wide = rows.pivot_table(index="window", columns=key, values=value, aggfunc="sum")
    wide = wide.reindex(windows.window, fill_value=0).fillna(0)
    largest = wide.sum().sort_values(ascending=False).index
    out = wide[largest[:MOST]].copy()
    if len(largest) > MOST:
        out["(other)"] = wide[largest[MOST:]].sum(axis=1)
    out.index = windows.from_s
    return out


def main(directory, picture):
    windows = table(directory, "windows")
    threads = table(directory, "threads").merge(table(directory, "names"), on="thread")
    cpus = table(directory, "cpus")
    samples = table(directory, "samples").merge(table(directory, "stacks"), on="stack")
    lasts = windows.set_index("from_s").duration_s
    figure, plots = plt.subplots(4, 1, figsize=(9, 11), constrained_layout=True)

    for zone in [c for c in windows.columns if c.endswith("_j")]:
        plots[0].step(windows.from_s, windows[zone] / windows.duration_s, where="post",
                      label=zone[:-2])
    plots[0].set(title="Power of each zone", ylabel="W")

    threads["label"] = threads.name + " (" + threads.tid.astype(str) + ")"
    energy = by_time(windows, threads, "label", "energy_j").div(lasts, axis=0)
    if not energy.empty:
        plots[1].stackplot(energy.index, energy.T.values, labels=energy.columns, step="post")
    plots[1].set(title="Power attributed to threads", ylabel="W")

    busy = cpus.groupby("window")[["program_s", "others_s", "ebb_s"]].sum()
    busy = busy.reindex(windows.window, fill_value=0).set_index(windows.from_s).div(lasts, axis=0)
    plots[2].stackplot(busy.index, busy.T.values, labels=["program", "others", "ebb"],
                       step="post")
    plots[2].set(title="Busy CPUs", ylabel="CPUs")

    if not samples.empty:
        samples["method"] = samples.frames.fillna("[unknown]").str.split(";").str[0].str[:40]
        counts = samples.method.value_counts().head(MOST)[::-1]
        plots[3].barh(counts.index, counts.values)
    plots[3].set(title="Innermost functions", xlabel="samples")
    for p in plots[:3]:
        p.set(xlabel="s", ylim=(0, None), xlim=(0, None))
        if p.get_legend_handles_labels()[0]:
            p.legend(loc="upper right", fontsize="small")
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
