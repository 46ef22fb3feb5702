package conformance

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/api"
)

// jsonpath prints an object by a kubectl template such as
// {.status.conditions[0].message}{"\n"}, as far as the recordings use them.
func jsonpath(t *testing.T, template string, obj api.Object) string {
	t.Helper()
	var out strings.Builder
	for template != "" {
		text, rest, found := strings.Cut(template, "{")
		out.WriteString(text)
		if !found {
			break
		}
		inner, rest, found := strings.Cut(rest, "}")
		if !found {
			t.Fatalf("jsonpath %q does not end", template)
		}
		template = rest
		if s, err := strconv.Unquote(inner); err == nil {
			out.WriteString(s)
			continue
		}
		out.WriteString(value(t, inner, obj))
	}
	return out.String()
}

// row prints one line of custom-columns: cell gives what stands in each.
func row(template string, cell func(title, path string) string) string {
	var cells []string
	for _, column := range strings.Split(template, ",") {
		title, path, _ := strings.Cut(column, ":")
		cells = append(cells, cell(title, path))
	}
	return strings.Join(cells, "   ")
}

// value finds what stands at a path such as .status.conditions[?(@.type=="Ready")].status. It is "" when nothing is there.
func value(t *testing.T, path string, obj api.Object) string {
	t.Helper()
	encoded, err := api.Encode(obj)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(encoded, &v); err != nil {
		t.Fatal(err)
	}
	for path != "" && v != nil {
		switch {
		case strings.HasPrefix(path, "."):
			end := strings.IndexAny(path[1:], ".[") + 1
			if end == 0 {
				end = len(path)
			}
			m, _ := v.(map[string]any)
			v = m[path[1:end]]
			path = path[end:]
		case strings.HasPrefix(path, "[?(@."):
			filter, rest, _ := strings.Cut(path[len("[?(@."):], ")]")
			key, want, ok := strings.Cut(filter, "==")
			if !ok {
				t.Fatalf("jsonpath filter %q is unknown", filter)
			}
			list, _ := v.([]any)
			v = nil
			for _, item := range list {
				if m, _ := item.(map[string]any); m[key] == strings.Trim(want, `"`) {
					v = item
				}
			}
			path = rest
		case strings.HasPrefix(path, "["):
			index, rest, _ := strings.Cut(path[1:], "]")
			i, err := strconv.Atoi(index)
			if err != nil {
				t.Fatalf("jsonpath index %q: %v", index, err)
			}
			list, _ := v.([]any)
			v = nil
			if i < len(list) {
				v = list[i]
			}
			path = rest
		default:
			t.Fatalf("jsonpath %q is unknown", path)
		}
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
