package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// unrecognized refuses what the API server would refuse in the words of the JSON that it is given: what is no object, and what does not say
// its kind where that is asked of it. failed is what became of the YAML until now.
// Upstream: apimachinery/pkg/runtime/serializer/json/json.go, Decode, which quotes what it was given.
func (s *Server) unrecognized(request *client.Request, text, body []byte, failed error) error {
	head, wrong := api.GroupVersionKind{}, failed
	var syntax yaml.Error
	switch {
	case errors.As(failed, &syntax):
		wrong = fmt.Errorf("error converting YAML to JSON: yaml: line %d: %s", syntax.GetToken().Position.Line, syntax.GetMessage())
	case failed != nil:
		return failed
	default:
		head, wrong = api.ReadKind(body, nil)
	}
	if wrong == nil && (head.Kind != "" || request.FieldValidation == metav1.FieldValidationIgnore) {
		return nil
	}
	var kinds api.KindSet
	if err := s.loop.do(func(c *cluster.Cluster) { kinds = c.Kinds() }); err != nil {
		return err
	}
	k := kinds.ForResource(request.Resource)
	if k == nil || wrong == nil && !slices.Contains(kinds.Defined(), k) {
		return failed
	}
	if wrong == nil {
		wrong = fmt.Errorf("Object 'Kind' is missing in '%s'", text)
	}
	name := k.Kind
	if sub, ok := k.Subresource(request.Subresource); ok {
		name = sub.Kind.Kind
	}
	return apierrors.NewUnrecognized(name, wrong, text)
}

// canonical is JSON as upstream's library makes it of YAML: with the keys of each object in their order, without spaces.
// Upstream: sigs.k8s.io/yaml, YAMLToJSON.
func canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// yamlError is what is wrong with a body of YAML.
type yamlError struct{ error }

func (e yamlError) Unwrap() error { return e.error }

// Status implements apierrors.APIStatus.
func (e yamlError) Status() metav1.Status {
	return apierrors.NewBadRequest("error decoding YAML: " + e.Error()).Status()
}

// fromYAML is a body of YAML as JSON. A key that comes twice is refused where the request wants that; else the last one counts, and the
// answer warns, unless the request wants no warnings. Problems of other kinds are then not looked for, which upstream would list with these.
// Upstream: apimachinery/pkg/runtime/serializer/json/json.go, Decode; apiserver/pkg/endpoints/handlers/patch.go, applyPatcher.
func fromYAML(w http.ResponseWriter, r *http.Request, body []byte) ([]byte, error) {
	twice, err := keysSetTwice(body)
	if err == nil && len(twice) == 0 {
		if body, err = yaml.YAMLToJSON(body); err == nil {
			body, err = canonical(body)
		}
	}
	if err != nil {
		return nil, yamlError{err}
	}
	if len(twice) == 0 {
		return body, nil
	}
	var tree map[string]any
	if err := yaml.UnmarshalWithOptions(body, &tree, yaml.AllowDuplicateMapKey()); err != nil {
		return nil, yamlError{err}
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
