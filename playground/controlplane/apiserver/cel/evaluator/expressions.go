package evaluator

import (
	"fmt"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	own "kubewalk/playground/controlplane/apiserver/cel"
)

// compiler implements cel.Compiler. Upstream: admission/plugin/cel/compile.go and composition.go, CompositedCompiler.
type compiler struct {
	e         *Evaluator
	envs      map[own.Scope]*cel.Env
	types     *declared // of variables
	variables map[string]*compiled
}

// compiled implements cel.Program.
type compiled struct {
	text    string
	want    own.Want
	program cel.Program
	err     *own.Error
}

func (c *compiled) Err() *own.Error { return c.err }

// Compiler implements cel.Evaluator.
func (e *Evaluator) Compiler() own.Compiler {
	return &compiler{e: e, envs: map[own.Scope]*cel.Env{}, types: structOf("kubernetes.variables", map[string]*declared{}), variables: map[string]*compiled{}}
}

// environment is what expressions of a scope may use. Upstream: admission/plugin/cel/compile.go, createEnvForOpts.
func (c *compiler) environment(scope own.Scope) (*cel.Env, error) {
	if env := c.envs[scope]; env != nil {
		return env, nil
	}
	request, namespace := requestType(), namespaceType()
	options := []cel.EnvOption{
		cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType), cel.Variable("namespaceObject", namespace.cel),
		cel.Variable("request", request.cel), cel.Variable("variables", c.types.cel),
	}
	if scope.Params {
		options = append(options, cel.Variable("params", cel.DynType))
	}
	if scope.Authorizer {
		options = append(options, cel.Variable("authorizer", authorizerType), cel.Variable("authorizer.requestResource", resourceCheckType))
	}
	env, err := c.e.extend([]*declared{request, namespace, c.types}, options...)
	if err == nil && scope.Patch {
		env, err = env.Extend(cel.CustomTypeProvider(&changes{env.CELTypeProvider()}), cel.Lib(jsonPatches))
	}
	if err == nil {
		c.envs[scope] = env
	}
	return env, err
}

// Variable implements cel.Compiler.
func (c *compiler) Variable(name, expression string, scope own.Scope) *own.Error {
	p, t := c.compile(expression, own.Any, scope)
	c.types.fields[name] = &declared{cel: plain(t)}
	c.variables[name] = p
	return p.err
}

// plain is a type without structs, of which nothing is known here. Upstream: convertCelTypeToDeclType.
func plain(t *cel.Type) *cel.Type {
	if t == nil {
		return cel.DynType
	}
	switch t {
	case cel.AnyType, cel.BoolType, cel.BytesType, cel.DoubleType, cel.DurationType, cel.IntType, cel.NullType, cel.StringType, cel.TimestampType, cel.UintType:
		return t
	}
	if t.HasTrait(traits.ContainerType) && t.HasTrait(traits.IndexerType) {
		switch p := t.Parameters(); len(p) {
		case 1:
			return cel.ListType(plain(p[0]))
		case 2:
			return cel.MapType(plain(p[0]), plain(p[1]))
		}
	}
	return cel.DynType
}

// Compile implements cel.Compiler.
func (c *compiler) Compile(expression string, want own.Want, scope own.Scope) own.Program {
	p, _ := c.compile(expression, want, scope)
	return p
}

func (c *compiler) compile(expression string, want own.Want, scope own.Scope) (*compiled, *cel.Type) {
	p := &compiled{text: expression, want: want}
	env, err := c.environment(scope)
	if err != nil {
		p.err = &own.Error{Internal: true, Detail: "unexpected error loading CEL environment: " + err.Error()}
		return p, nil
	}
	ast, issues := env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		p.err = &own.Error{Detail: "compilation failed: " + issues.String()}
		return p, nil
	}
	t := ast.OutputType()
	switch {
	case want == own.Bool && !t.IsExactType(cel.BoolType):
		p.err = &own.Error{Detail: fmt.Sprintf("must evaluate to bool but got %v", t)}
	case want == own.String && !t.IsExactType(cel.StringType):
		p.err = &own.Error{Detail: fmt.Sprintf("must evaluate to string but got %v", t)}
	case want == own.StringOrNull && !t.IsExactType(cel.StringType) && !t.IsExactType(cel.NullType):
		p.err = &own.Error{Detail: fmt.Sprintf("must evaluate to one of [string null_type] but got %v", t)}
	case want == own.Object && !t.IsExactType(objectType), want == own.JSONPatch && !t.IsExactType(cel.ListType(jsonPatchType)):
		wanted := objectType
		if want == own.JSONPatch {
			wanted = cel.ListType(jsonPatchType)
		}
		p.err = &own.Error{Detail: fmt.Sprintf("must evaluate to %v but got %v", wanted, t)}
	}
	if p.err != nil {
		return p, nil
	}
	if p.program, err = program(env, ast, &costs{}); err != nil {
		p.err = &own.Error{Internal: true, Detail: "program instantiation failed: " + err.Error()}
		return p, nil
	}
	return p, t
}

func requestType() *declared {
	text := scalar(cel.StringType, 2)
	kind := structOf("kubernetes.GroupVersionKind", map[string]*declared{"group": text, "version": text, "kind": text})
	resource := structOf("kubernetes.GroupVersionResource", map[string]*declared{"group": text, "version": text, "resource": text})
	user := structOf("kubernetes.UserInfo", map[string]*declared{"username": text, "uid": text, "groups": listOf(text, -1), "extra": mapOf(listOf(text, -1), -1)})
	return structOf("kubernetes.AdmissionRequest", map[string]*declared{
		"kind": kind, "resource": resource, "subResource": text, "requestKind": kind, "requestResource": resource, "requestSubResource": text,
		"name": text, "namespace": text, "operation": text, "userInfo": user, "dryRun": scalar(cel.BoolType, 4), "options": scalar(cel.DynType, 1),
	})
}

func namespaceType() *declared {
	text, at, number := scalar(cel.StringType, 2), scalar(cel.TimestampType, 12), scalar(cel.IntType, 1)
	condition := structOf("kubernetes.NamespaceCondition", map[string]*declared{
		"status": text, "type": text, "lastTransitionTime": at, "message": text, "reason": text})
	return structOf("kubernetes.Namespace", map[string]*declared{
		"metadata": structOf("kubernetes.NamespaceMetadata", map[string]*declared{
			"name": text, "generateName": text, "namespace": text, "labels": mapOf(text, -1), "annotations": mapOf(text, -1), "UID": text,
			"creationTimestamp": at, "deletionGracePeriodSeconds": number, "deletionTimestamp": at, "generation": number, "resourceVersion": text,
			"finalizers": listOf(text, -1)}),
		"spec":   structOf("kubernetes.NamespaceSpec", map[string]*declared{"finalizers": listOf(text, -1)}),
		"status": structOf("kubernetes.NamespaceStatus", map[string]*declared{"conditions": listOf(condition, -1), "phase": text}),
	})
}

// evaluation implements cel.Run. Upstream: admission/plugin/cel/activation.go.
type evaluation struct {
	compiler *compiler
	names    map[string]any
	budget   int64
	spent    int64 // for variables, since the last expression
	values   map[string]ref.Val
}

// Start implements cel.Compiler.
func (c *compiler) Start(in *own.Input, budget int64) own.Run {
	r := &evaluation{compiler: c, budget: budget, values: map[string]ref.Val{}}
	tree := func(t map[string]any) any {
		if t == nil {
			return nil
		}
		return t
	}
	r.names = map[string]any{
		"object": tree(in.Object), "oldObject": tree(in.OldObject), "params": tree(in.Params), "request": tree(in.Request), "namespaceObject": tree(in.Namespace),
		"variables": &variables{Mapper: types.NewStringInterfaceMap(c.e.adapter, map[string]any{}), run: r},
	}
	if in.Authorizer != nil {
		root := &check{t: authorizerType, authorizer: in.Authorizer}
		r.names["authorizer"] = root
		r.names["authorizer.requestResource"] = root.with(resourceCheckType, func(q *own.Question) { *q = in.RequestResource })
	}
	return r
}

// Left implements cel.Run.
func (r *evaluation) Left() int64 { return r.budget }

// Evaluate implements cel.Run.
func (r *evaluation) Evaluate(p own.Program) (any, *own.Error) {
	c := p.(*compiled)
	if c.err != nil {
		return nil, &own.Error{Detail: "compilation error: " + c.err.Detail}
	}
	result, details, err := c.program.Eval(r.names)
	if !r.pay(r.spent) {
		return nil, &own.Error{Fatal: true, Detail: outOfBudget}
	}
	r.spent = 0
	if cost := costOf(details); !r.pay(cost) {
		return nil, &own.Error{Fatal: true, Detail: outOfBudget}
	}
	if err != nil {
		return nil, &own.Error{Detail: fmt.Sprintf("expression '%v' resulted in error: %v", c.text, err)}
	}
	if c.want == own.Object || c.want == own.JSONPatch {
		change, err := changeOf(result)
		if err != nil {
			return nil, &own.Error{Detail: err.Error()}
		}
		return change, nil
	}
	switch v := result.(type) {
	case types.Bool:
		return bool(v), nil
	case types.String:
		return string(v), nil
	case types.Null:
		return nil, nil
	}
	return result, nil
}

func (r *evaluation) pay(cost int64) bool {
	if cost > r.budget {
		r.budget = -1
		return false
	}
	r.budget -= cost
	return true
}

func costOf(d *cel.EvalDetails) int64 {
	if d == nil || d.ActualCost() == nil || *d.ActualCost() > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(*d.ActualCost())
}

// variables are evaluated when an expression reads them. Upstream: apiserver/pkg/cel/lazy, and variableAccessor.
type variables struct {
	traits.Mapper
	run *evaluation
}

func (v *variables) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	c := v.run.compiler.variables[string(name)]
	if c == nil {
		return nil, false
	}
	if value := v.run.values[string(name)]; value != nil {
		return value, true
	}
	value := v.run.variable(string(name), c)
	v.run.values[string(name)] = value
	return value, true
}

func (v *variables) Get(key ref.Val) ref.Val {
	if value, ok := v.Find(key); ok {
		return value
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (v *variables) Contains(key ref.Val) ref.Val {
	name, _ := key.(types.String)
	return types.Bool(v.run.compiler.variables[string(name)] != nil)
}

func (r *evaluation) variable(name string, c *compiled) ref.Val {
	if c.err != nil {
		return types.NewErr("composited variable %q fails to compile: %v", name, c.err)
	}
	value, details, err := c.program.Eval(r.names)
	r.spent += min(costOf(details), math.MaxInt64-r.spent)
	if err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", name, err)
	}
	return value
}
