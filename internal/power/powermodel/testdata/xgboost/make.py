#!/usr/bin/python3
"""Writes the models and predictions in this directory with XGBoost (python3-xgboost 1.7.4 of
Debian 12). Those in 3.0 and 3.3 were written by this script in directories of Debian 13's 3.0.0 and
unstable's 3.3.0, unpacked and entered by chroot.

NAME.json is a model as XGBoost saves it, NAME.golden.json has intervals (null: missing) with
XGBoost's predictions and contributions (pred_contribs, the base last). Run it here without
arguments. With a model's name it loads the model, and prints the predictions for the intervals of
the golden file that is its second argument.
"""
import json
import sys

import numpy as np
import xgboost as xgb


def matrix(rows):
    return np.array([[np.nan if x is None else x for x in r] for r in rows], dtype=np.float32)


def numbers(a):
    """The shortest decimals that give the same 32 bits."""
    return [numbers(x) for x in a] if np.ndim(a) else float(str(np.float32(a)))


def write(name, seed, columns, names, **parameters):
    rng = np.random.default_rng(seed)
    x = rng.gamma(2, 10, size=(400, columns)).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    known = np.nan_to_num(x)
    y = 80 + known[:, 0] + np.sqrt(known[:, 1]) * known[:, 2] / 8 + rng.normal(size=len(x))
    rounds = parameters.pop("rounds")
    parameters |= {"objective": "reg:squarederror", "tree_method": "hist", "nthread": 1}
    booster = xgb.train(parameters, xgb.DMatrix(x, y, feature_names=names), rounds)
    booster.save_model(name + ".json")
    test = xgb.DMatrix(x[:40], feature_names=names)
    golden = {
        "rows": [[None if np.isnan(v) else float(str(v)) for v in r] for r in x[:40]],
        "predictions": numbers(booster.predict(test)),
        "contributions": numbers(booster.predict(test, pred_contribs=True)),
    }
    with open(name + ".golden.json", "w") as f:
        json.dump(golden, f, separators=(",", ":"))
        f.write("\n")


def compare(model, golden):
    booster = xgb.Booster(model_file=model)
    with open(golden) as f:
        rows = json.load(f)["rows"]
    print(json.dumps(numbers(booster.predict(xgb.DMatrix(matrix(rows),
                                                         feature_names=booster.feature_names)))))


if len(sys.argv) == 3:
    compare(sys.argv[1], sys.argv[2])
else:
    write("defaults", 1, 5, ["gc", "park", "calls", "busy", "clock"], rounds=10)
    write("pruned", 2, 3, None, rounds=20, max_depth=4, gamma=200.0, base_score=120.0)
    write("shallow", 3, 4, None, rounds=5, max_depth=2, num_parallel_tree=3, eta=0.1)
