package customresource

import (
	"encoding/json"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/api/metav1"
)

// column is one of the columns that a definition adds to kubectl get.
type column struct {
	metav1.TableColumnDefinition
	path *jsonpath.JSONPath
}

// columnsOf are a version's columns. A path that is none ends them, as upstream.
// Upstream: pkg/registry/customresource/tableconvertor/tableconvertor.go, New; pkg/apiserver/helpers.go, GetColumnsForVersion.
func columnsOf(v *apiextensionsv1.CustomResourceDefinitionVersion) []column {
	defined := v.AdditionalPrinterColumns
	if len(defined) == 0 {
		defined = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}}
	}
	var out []column
	for _, d := range defined {
		path, err := jsonpath.Parse("{" + d.JSONPath + "}")
		if err != nil {
			break
		}
		out = append(out, column{metav1.TableColumnDefinition{Name: d.Name, Type: d.Type, Format: d.Format, Priority: d.Priority}, path})
	}
	return out
}

// table is how kubectl get shows objects.
func (r *Resource) table(objects []api.Object, now time.Time) *metav1.Table {
	t := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, Rows: []metav1.TableRow{}}
	t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name"})
	for _, c := range r.columns {
		t.ColumnDefinitions = append(t.ColumnDefinitions, c.TableColumnDefinition)
	}
	for _, obj := range objects {
		tree := obj.(*api.Unstructured).Tree()
		cells := []any{obj.GetName()}
		for _, c := range r.columns {
			cells = append(cells, c.cell(tree, now))
		}
		t.Rows = append(t.Rows, metav1.TableRow{Cells: cells, Object: obj})
	}
	return t
}

// cell is what a column shows of an object; nil is nothing. Upstream: cellForJSONValue.
func (c *column) cell(tree map[string]any, now time.Time) any {
	found, err := c.path.Values(tree)
	if err != nil || len(found) == 0 {
		return nil
	}
	switch v := found[0].(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && c.Type != "string" && c.Type != "number" {
			return n
		}
		if f, err := v.Float64(); err == nil && c.Type == "number" {
			return f
		} else if err == nil && c.Type == "integer" {
			return int64(f)
		}
	case bool:
		if c.Type == "boolean" {
			return v
		}
	case string:
		if c.Type == "date" {
			at, err := time.Parse(time.RFC3339, v)
			if err != nil {
				return "<invalid>"
			}
			return duration.HumanDuration(now.Sub(at))
		}
	}
	if c.Type == "string" {
		return jsonpath.Text(found[0])
	}
	return nil
}
