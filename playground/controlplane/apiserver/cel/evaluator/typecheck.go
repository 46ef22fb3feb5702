package evaluator

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"

	"kubewalk/playground/api"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/runtime"
	own "kubewalk/playground/controlplane/apiserver/cel"
)

// TypeErrors implements cel.Evaluator. Upstream: apiserver/pkg/admission/plugin/policy/validating/typechecking.go, TypeChecker.CheckExpression.
//
// Names of types begin with the kind; upstream adds a number to it that is another one each time.
func (e *Evaluator) TypeErrors(about *own.Types, expression string) (issues string, known bool) {
	object, ok := kindType(about.Object)
	if !ok {
		return "", false
	}
	var params *declared
	if about.Params != nil {
		params, _ = kindType(about.Params)
	}
	c := e.Compiler().(*compiler)
	request, namespace := requestType(), namespaceType()
	typed := func(d *declared) *cel.Type {
		if d == nil {
			return cel.DynType
		}
		return d.cel
	}
	options := []cel.EnvOption{
		cel.Variable("object", typed(object)), cel.Variable("oldObject", typed(object)), cel.Variable("namespaceObject", namespace.cel),
		cel.Variable("request", request.cel), cel.Variable("variables", c.types.cel), cel.Variable("authorizer", authorizerType),
	}
	if about.HasParams {
		options = append(options, cel.Variable("params", typed(params)))
	}
	env, err := e.extend([]*declared{request, namespace, c.types, object, params}, options...)
	if err != nil {
		return "type checking error: fail to build env: " + err.Error(), true
	}
	for _, v := range about.Variables {
		var t *cel.Type
		if ast, issues := env.Compile(v.Expression); issues == nil || issues.Err() == nil {
			t = ast.OutputType()
		}
		c.types.fields[v.Name] = &declared{cel: plain(t)}
	}
	if _, issues := env.Compile(expression); issues != nil && issues.Err() != nil {
		return issues.String(), true
	}
	return "", true
}

// kindType is the type of a kind's objects; nil if CEL knows none. ok is false if there is no schema.
func kindType(kind *api.Kind) (d *declared, ok bool) {
	if kind == nil {
		return nil, false
	}
	name := kind.GroupVersionKind.Kind
	if kind.Schema == nil {
		if kind.New == nil {
			return nil, false
		}
		if _, open := kind.New().(*api.Unstructured); open {
			return nil, false
		}
		return goType(reflect.TypeOf(kind.New()), name, map[reflect.Type]bool{}), true
	}
	d = declare(kind.Schema, true, name)
	if d != nil && d.fields != nil { // what is published has all of the metadata
		d.fields = maps.Clone(d.fields)
		d.fields["metadata"] = goType(reflect.TypeFor[metav1.ObjectMeta](), name+".metadata", map[reflect.Type]bool{})
	}
	return d, true
}

// goType is what declare makes of the schema that is published of a type of Go; nil if it has a schema without a type.
// Upstream: pkg/generated/openapi, and apiserver/pkg/cel/openapi/resolver, for types that contain themselves.
func goType(t reflect.Type, name string, around map[reflect.Type]bool) *declared {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[intstr.IntOrString]():
		return scalar(cel.DynType, 1)
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return scalar(cel.TimestampType, 21)
	case reflect.TypeFor[metav1.Duration]():
		return scalar(cel.StringType, 2)
	case reflect.TypeFor[metav1.FieldsV1](), reflect.TypeFor[runtime.RawExtension]():
		return structOf(name, map[string]*declared{})
	}
	if marshaler := reflect.TypeFor[json.Marshaler](); t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		return nil // quantities, and parts of schemas
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return scalar(cel.StringType, 2)
	}
	switch t.Kind() {
	case reflect.String:
		return scalar(cel.StringType, 2)
	case reflect.Bool:
		return scalar(cel.BoolType, 4)
	case reflect.Float32, reflect.Float64:
		return scalar(cel.DoubleType, 1)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return scalar(cel.BytesType, 2)
		}
		if elem := goType(t.Elem(), name+".@idx", around); elem != nil {
			return listOf(elem, -1)
		}
		return nil
	case reflect.Map:
		if elem := goType(t.Elem(), name+".@elem", around); elem != nil {
			return mapOf(elem, -1)
		}
		return nil
	case reflect.Struct:
		d := structOf(name, map[string]*declared{})
		if !around[t] {
			around[t] = true
			goFields(t, name, d.fields, around)
			delete(around, t)
		}
		return d
	}
	return scalar(cel.IntType, 1)
}

func goFields(t reflect.Type, name string, into map[string]*declared, around map[reflect.Type]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" {
			inner := f.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			goFields(inner, name, into, around)
			continue
		}
		if id, ok := escape(tag); ok && tag != "" && tag != "-" {
			if d := goType(f.Type, name+"."+id, around); d != nil {
				into[id] = d
			}
		}
	}
}
