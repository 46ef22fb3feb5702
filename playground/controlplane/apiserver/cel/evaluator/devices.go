package evaluator

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	"kubewalk/playground/api/resourcev1"
	own "kubewalk/playground/controlplane/apiserver/cel"
)

// deviceSelector implements cel.DeviceSelector. Upstream: dynamic-resource-allocation/cel/compile.go, CompilationResult.
type deviceSelector struct {
	adapter types.Adapter
	program cel.Program
	cost    uint64
}

// deviceType is what selectors know of a device, and that the values of its attributes may be anything.
// Upstream: dynamic-resource-allocation/cel/compile.go, newCompiler.
func deviceType() (device, attribute *declared) {
	text := func(max int64) *declared { return &declared{cel: cel.StringType, smallest: 2, max: max} }
	table := func(key, elem *declared) *declared {
		m := mapOf(elem, resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice)
		m.key = key
		return m
	}
	attribute = &declared{cel: cel.AnyType, smallest: 1, max: resourcev1.DeviceAttributeMaxValueLength}
	domain, id := text(resourcev1.DeviceMaxDomainLength), text(resourcev1.DeviceMaxIDLength)
	return structOf("kubernetes.DRADevice", map[string]*declared{
		"driver":                   text(resourcev1.DriverNameMaxLength),
		"attributes":               table(domain, table(id, attribute)),
		"capacity":                 table(domain, table(id, scalar(quantityType, 8))),
		"allowMultipleAllocations": {cel: cel.BoolType, smallest: 4, max: 1},
	}), attribute
}

// DeviceSelector implements cel.Evaluator. Upstream: dynamic-resource-allocation/cel/compile.go, CompileCELExpression.
func (e *Evaluator) DeviceSelector(expression string) (own.DeviceSelector, *own.Error) {
	internal := func(text string, err error) (own.DeviceSelector, *own.Error) {
		return nil, &own.Error{Internal: true, Detail: text + ": " + err.Error()}
	}
	device, attribute := deviceType()
	env, err := e.extend([]*declared{device}, ext.Bindings(ext.BindingsVersion(0)), cel.Variable("device", device.cel))
	if err != nil {
		return internal("unexpected error loading CEL environment", err)
	}
	ast, issues := env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		return nil, &own.Error{Detail: "compilation failed: " + issues.String()}
	}
	if t := ast.OutputType(); t != cel.BoolType && t != cel.AnyType {
		return nil, &own.Error{Detail: fmt.Sprintf("must evaluate to %v or the unknown type, not %v", cel.BoolType, t)}
	}
	c := &costs{root: device, anything: attribute}
	s := &deviceSelector{adapter: e.adapter}
	if s.program, err = program(env, ast, c); err != nil {
		return internal("program instantiation failed", err)
	}
	estimate, err := env.EstimateCost(ast, c)
	if err != nil {
		return internal("cost estimation failed", err)
	}
	s.cost = estimate.Max
	return s, nil
}

// Cost implements cel.DeviceSelector.
func (s *deviceSelector) Cost() uint64 { return s.cost }

// Matches implements cel.DeviceSelector. Upstream: DeviceMatches.
func (s *deviceSelector) Matches(d *own.Device) (bool, error) {
	attributes, capacity := map[string]any{}, map[string]any{}
	for domain, values := range d.Attributes { // order: each fills its own key
		of := map[string]any{}
		for id, v := range values { // order: likewise
			if text, ok := v.(own.Version); ok {
				version, err := parseSemver(string(text), false)
				if err != nil {
					return false, fmt.Errorf("attribute %s: parse semantic version: %w", id, err)
				}
				v = semverValue(version)
			}
			of[id] = v
		}
		attributes[domain] = of
	}
	for domain, values := range d.Capacity { // order: each fills its own key
		of := map[string]any{}
		for id, q := range values { // order: likewise
			of[id] = quantityValue(q)
		}
		capacity[domain] = of
	}
	result, _, err := s.program.Eval(map[string]any{"device": map[string]any{
		"driver": d.Driver, "allowMultipleAllocations": d.AllowMultiple,
		"attributes": s.orEmpty(attributes), "capacity": s.orEmpty(capacity),
	}})
	if err != nil {
		return false, err
	}
	is, err := result.ConvertToNative(reflect.TypeFor[bool]())
	if err != nil {
		return false, fmt.Errorf("CEL result of type %s could not be converted to bool: %w", result.Type().TypeName(), err)
	}
	return is.(bool), nil
}

// orEmpty is a map in which every domain is found: one of which nothing is known has no names.
func (s *deviceSelector) orEmpty(m map[string]any) traits.Mapper {
	return domains{types.NewStringInterfaceMap(s.adapter, m), s.adapter.NativeToValue(map[string]any{})}
}

type domains struct {
	traits.Mapper
	empty ref.Val
}

// Find implements traits.Mapper.
func (d domains) Find(key ref.Val) (ref.Val, bool) {
	if value, found := d.Mapper.Find(key); found {
		return value, true
	}
	return d.empty, true
}
