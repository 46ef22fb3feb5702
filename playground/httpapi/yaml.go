package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
)

// fromYAML is a body of YAML as JSON. A key that comes twice is refused where the request wants that; else the last one counts, and the
// answer warns, unless the request wants no warnings. Problems of other kinds are then not looked for, which upstream would list with these.
// Upstream: apimachinery/pkg/runtime/serializer/json/json.go, Decode; apiserver/pkg/endpoints/handlers/patch.go, applyPatcher.
func fromYAML(w http.ResponseWriter, r *http.Request, body []byte) ([]byte, error) {
	twice, err := keysSetTwice(body)
	if err == nil && len(twice) == 0 {
		body, err = yaml.YAMLToJSON(body)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if len(twice) == 0 {
		return body, nil
	}
	var tree map[string]any
	if err := yaml.UnmarshalWithOptions(body, &tree, yaml.AllowDuplicateMapKey()); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	problem := "yaml: unmarshal errors:\n  " + strings.Join(twice, "\n  ")
	switch r.URL.Query().Get("fieldValidation") {
	case metav1.FieldValidationStrict:
		if strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyPatchType)) {
			return nil, apierrors.NewBadRequest("error strict decoding YAML: " + problem)
		}
		kind, _ := tree["kind"].(string)
		version, _ := tree["apiVersion"].(string)
		_, after, ok := strings.Cut(version, "/")
		if ok {
			version = after
		}
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s", kind, version, kind, problem))
	case metav1.FieldValidationIgnore:
	default:
		for _, text := range twice {
			w.Header().Add("Warning", fmt.Sprintf("299 - %q", text))
		}
	}
	return json.Marshal(tree)
}

// keysSetTwice says which keys come more than once in one map, in the words of upstream's library (sigs.k8s.io/yaml).
func keysSetTwice(body []byte) ([]string, error) {
	file, err := parser.ParseBytes(body, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, err
	}
	found := &twice{}
	for _, document := range file.Docs {
		ast.Walk(found, document)
	}
	return found.texts, nil
}

type twice struct{ texts []string }

// Visit implements ast.Visitor.
func (t *twice) Visit(node ast.Node) ast.Visitor {
	m, ok := node.(*ast.MappingNode)
	if !ok {
		return t
	}
	seen := map[string]bool{}
	for _, v := range m.Values {
		token := v.Key.GetToken()
		if seen[token.Value] {
			t.texts = append(t.texts, fmt.Sprintf("line %d: key %q already set in map", token.Position.Line, token.Value))
		}
		seen[token.Value] = true
	}
	return t
}
