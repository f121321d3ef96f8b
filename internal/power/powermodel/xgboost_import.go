package powermodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// xgboostFile is the part of XGBoost's JSON model that a prediction needs (XGBoost's
// doc/model.schema). XGBoost writes some numbers as strings.
type xgboostFile struct {
	Learner *struct {
		Names   []string `json:"feature_names"`
		Booster struct {
			Name  string `json:"name"`
			Model struct {
				Group []int         `json:"tree_info"`
				Trees []xgboostTree `json:"trees"`
			} `json:"model"`
		} `json:"gradient_booster"`
		Param struct {
			BaseScore string `json:"base_score"`
			Classes   string `json:"num_class"`
			Features  string `json:"num_feature"`
			Targets   string `json:"num_target"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
	} `json:"learner"`
	Version []int `json:"version"`
}

type xgboostTree struct {
	Categorical []int     `json:"categories_nodes"`
	DefaultLeft []flag    `json:"default_left"`
	Left        []int     `json:"left_children"`
	Right       []int     `json:"right_children"`
	Feature     []int     `json:"split_indices"`
	Condition   []float32 `json:"split_conditions"` // in a leaf the leaf's value
	Cover       []float32 `json:"sum_hessian"`
}

// flag is a truth value: 0 and 1 up to XGBoost 1.7, a boolean later.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "1", "true":
		*f = true
	case "0", "false":
		*f = false
	default:
		return fmt.Errorf("%.20q is neither true nor false", text)
	}
	return nil
}

// ImportXGBoost reads a model that XGBoost 1.7 or later has saved as JSON: a regression with
// squared errors by trees without categories. The model predicts what XGBoost does, to the last
// bit. It knows neither ranges nor an interval.
func ImportXGBoost(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxXGBoostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read XGBoost's model: %w", err)
	}
	if len(text) > maxXGBoostBytes {
		return nil, fmt.Errorf("XGBoost's model has more than %d bytes", maxXGBoostBytes)
	}
	if looksBinary(text) {
		return nil, errors.New("this is XGBoost's binary format (.ubj): save the model under a " +
			"name that ends in .json")
	}
	var f xgboostFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("not a model that XGBoost saved as JSON: %w", misfit(err))
	}
	if f.Learner == nil || f.Learner.Booster.Name == "" {
		return nil, errors.New("not a model that XGBoost saved as JSON: it has no booster")
	}
	m, err := f.model()
	if err != nil {
		return nil, fmt.Errorf("XGBoost's model: %w", err)
	}
	return m, nil
}

// maxXGBoostBytes bounds XGBoost's file, which has more of a tree than ebb keeps.
const maxXGBoostBytes = 1 << 26

// looksBinary reports whether a file begins like universal binary JSON: the brace is followed by
// the type of the first name's length, where JSON has a quote.
func looksBinary(text []byte) bool {
	return len(text) > 1 && text[0] == '{' && strings.IndexByte("iUIlL", text[1]) >= 0
}

func (f *xgboostFile) model() (*Model, error) {
	l := f.Learner
	if err := f.refusal(); err != nil {
		return nil, err
	}
	// XGBoost 3.1 writes a list.
	base, err := strconv.ParseFloat(strings.Trim(l.Param.BaseScore, "[]"), 32)
	if err != nil || !(math.Abs(base) <= maxWatts) {
		return nil, fmt.Errorf("base_score %.40q is no number", l.Param.BaseScore)
	}
	inputs, err := strconv.Atoi(l.Param.Features)
	if err != nil || inputs < 1 || inputs > maxColumns {
		return nil, fmt.Errorf("num_feature %.40q is not 1 to %d", l.Param.Features, maxColumns)
	}
	m := &Model{Learner: imported, formula: &formula{features: &features{}, raw: true}}
	if m.Inputs, err = xgboostInputs(l.Names, inputs); err != nil {
		return nil, err
	}
	m.formula.low, m.formula.high = math.Inf(-1), math.Inf(1)
	m.formula.forest, err = f.forest(float32(base), inputs)
	return m, err
}

// refusal returns what keeps the model from being one of ebb's; nil: nothing.
func (f *xgboostFile) refusal() error {
	l := f.Learner
	switch {
	case l.Booster.Name != "gbtree":
		return fmt.Errorf("its booster is %.40q, and ebb reads gbtree", l.Booster.Name)
	case l.Objective.Name != "reg:squarederror":
		return fmt.Errorf("its objective is %.40q, and ebb reads reg:squarederror",
			l.Objective.Name)
	case l.Param.Classes != "" && l.Param.Classes != "0",
		l.Param.Targets != "" && l.Param.Targets != "0" && l.Param.Targets != "1":
		return errors.New("it predicts several values, and power is one")
	}
	return nil
}

// xgboostInputs returns a model's n inputs. Without names they are f0, f1 and so on, as XGBoost
// calls them.
func xgboostInputs(names []string, n int) (out []Input, err error) {
	if len(names) != 0 && len(names) != n {
		return nil, fmt.Errorf("%d names for %d inputs", len(names), n)
	}
	seen := map[string]bool{}
	for i := range n {
		name := "f" + strconv.Itoa(i)
		if len(names) > 0 {
			name = names[i]
		}
		if name == "" || len(name) > maxName || seen[name] {
			return nil, fmt.Errorf("input %d has no name of its own", i)
		}
		seen[name] = true
		out = append(out, Input{name, math.NaN(), math.NaN()})
	}
	return out, nil
}

func (f *xgboostFile) forest(base float32, features int) (*forest, error) {
	trees := f.Learner.Booster.Model.Trees
	if len(trees) > maxTrees {
		return nil, fmt.Errorf("%d trees: more than %d", len(trees), maxTrees)
	}
	out, nodes := &forest{base: base}, 0
	for i := range trees {
		tree, err := trees[i].nodes()
		if err == nil {
			err = checkTree(tree, features)
		}
		if nodes += len(tree); err == nil && nodes > maxNodes {
			err = fmt.Errorf("more than %d nodes in all", maxNodes)
		}
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		out.trees = append(out.trees, tree)
	}
	return out, nil
}

// nodes puts the nodes that the root leads to in ebb's order. XGBoost leaves pruned ones in its
// lists, and uses their places again.
func (t *xgboostTree) nodes() ([]node, error) {
	n := len(t.Left)
	if n == 0 || len(t.Right) != n || len(t.Feature) != n || len(t.Condition) != n ||
		len(t.Cover) != n || len(t.DefaultLeft) != n {
		return nil, fmt.Errorf("its lists are not of one length")
	}
	if len(t.Categorical) > 0 {
		return nil, fmt.Errorf("it has categorical splits, which ebb does not read")
	}
	out, from, taken := make([]node, 1, n), []int{0}, make([]bool, n)
	taken[0] = true
	for i := 0; i < len(out); i++ {
		j := from[i]
		out[i].cover = t.Cover[j]
		if t.Left[j] == -1 {
			out[i].feature, out[i].value = -1, t.Condition[j]
			continue
		}
		for _, child := range []int{t.Left[j], t.Right[j]} {
			if child < 0 || child >= n || taken[child] {
				return nil, fmt.Errorf("node %d leads to %d", j, child)
			}
			taken[child] = true
			out, from = append(out, node{}), append(from, child)
		}
		out[i].feature, out[i].split = t.Feature[j], t.Condition[j]
		out[i].missingLeft, out[i].left = bool(t.DefaultLeft[j]), len(out)-2
	}
	return out, nil
}
