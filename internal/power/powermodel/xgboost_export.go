package powermodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// errNotTrees says that a model has more than trees, which are all that XGBoost's format holds.
var errNotTrees = errors.New("the model has a line, which XGBoost's format cannot hold: " +
	"train one with the learner xgboost")

// ExportXGBoost writes a model of trees alone as XGBoost 1.7 and later load it.
func (m *Model) ExportXGBoost(w io.Writer) error {
	p := m.formula
	if p.line != nil || p.forest == nil || !p.raw {
		return errNotTrees
	}
	inputs := strconv.Itoa(len(m.Inputs))
	var names []string
	for _, in := range m.Inputs {
		names = append(names, in.Name)
	}
	trees, group := []any{}, []int{}
	for i, t := range p.forest.trees {
		trees, group = append(trees, xgboostNodes(i, t, inputs)), append(group, 0)
	}
	type object = map[string]any
	text, err := json.Marshal(object{
		"version": []int{1, 7, 4},
		"learner": object{
			"attributes":    object{},
			"feature_names": names, "feature_types": []string{},
			"gradient_booster": object{"name": "gbtree", "model": object{
				"gbtree_model_param": object{"num_parallel_tree": "1",
					"num_trees": strconv.Itoa(len(trees)), "size_leaf_vector": "0"},
				"tree_info": group, "trees": trees,
			}},
			"learner_model_param": object{
				"base_score":         strconv.FormatFloat(float64(p.forest.base), 'E', -1, 32),
				"boost_from_average": "1", "num_class": "0", "num_feature": inputs,
				"num_target": "1",
			},
			"objective": object{"name": "reg:squarederror",
				"reg_loss_param": object{"scale_pos_weight": "1"}},
		},
	})
	if err != nil {
		return fmt.Errorf("write XGBoost's model: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write XGBoost's model: %w", err)
	}
	return nil
}

// real is a number that XGBoost does not take for an integer: it reads 1E+00 where it refuses 1.
type real float32

// MarshalJSON implements json.Marshaler.
func (r real) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'E', -1, 32), nil
}

// noParent is the parent that XGBoost writes for a root.
const noParent = 1<<31 - 1

// xgboostNodes returns a tree in XGBoost's form. Numbers that only its training needs are zero.
func xgboostNodes(id int, t []node, inputs string) map[string]any {
	n := len(t)
	left, right, feature := make([]int, n), make([]int, n), make([]int, n)
	condition, cover, mean, zeros := make([]real, n), make([]real, n), make([]real, n),
		make([]real, n)
	missing, parent, kind := make([]int, n), make([]int, n), make([]int, n)
	for i, v := range meanValues(t) {
		mean[i] = real(v)
	}
	parent[0] = noParent
	for i, x := range t {
		cover[i] = real(x.cover)
		if x.feature < 0 {
			left[i], right[i], condition[i] = -1, -1, real(x.value)
			continue
		}
		left[i], right[i], feature[i] = x.left, x.left+1, x.feature
		condition[i] = real(x.split)
		parent[x.left], parent[x.left+1] = i, i
		if x.missingLeft {
			missing[i] = 1
		}
	}
	return map[string]any{
		"id": id, "tree_param": map[string]string{"num_deleted": "0", "num_feature": inputs,
			"num_nodes": strconv.Itoa(n), "size_leaf_vector": "0"},
		"left_children": left, "right_children": right, "parents": parent,
		"split_indices": feature, "split_conditions": condition, "split_type": kind,
		"default_left": missing, "sum_hessian": cover, "base_weights": mean,
		"loss_changes": zeros, "categories": []int{}, "categories_nodes": []int{},
		"categories_segments": []int{}, "categories_sizes": []int{},
	}
}
