// Package cel is what the API server asks of an evaluator of CEL, the language of rules in definitions and of admission
// policies. The evaluator itself is package cel/evaluator, which is as large as all the rest: a program has it if it imports
// it. In the browser only the second build of the control plane does.
//
// Upstream: apiserver/pkg/cel, apiserver/pkg/admission/plugin/cel, apiextensions-apiserver/pkg/apiserver/schema/cel.
package cel

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/resource"
)

// Installed makes an evaluator for one server. It is nil in programs that have none.
var Installed func() Evaluator

// Evaluator compiles expressions.
type Evaluator interface {
	// CheckSchema says what is wrong with the rules in a version's schema.
	CheckSchema(schema *apiextensionsv1.JSONSchemaProps, path *field.Path) field.ErrorList
	// Rules are those in a schema without mistakes; nil if there are none.
	Rules(schema *apiextensionsv1.JSONSchemaProps) Rules
	// Compiler compiles the expressions of one policy or webhook.
	Compiler() Compiler
	// TypeErrors says what is wrong with a policy's expression where the types of what it is about are known; "" if nothing is. Nobody knows
	// where there is no schema.
	TypeErrors(about *Types, expression string) (issues string, known bool)
	// DeviceSelector compiles an expression that selects devices.
	DeviceSelector(expression string) (DeviceSelector, *Error)
}

// DeviceSelector is a compiled expression about devices.
type DeviceSelector interface {
	// Cost is how much it may cost to evaluate it, as estimated.
	Cost() uint64
	// Matches evaluates it.
	Matches(d *Device) (bool, error)
}

// Device is what selectors are about. Its attributes and capacity are by domain and name; the attributes are of type int64, bool, string and
// Version. Upstream: dynamic-resource-allocation/cel/compile.go, Device.
type Device struct {
	Driver        string
	AllowMultiple bool
	Attributes    map[string]map[string]any
	Capacity      map[string]map[string]resource.Quantity
}

// Version is an attribute's semantic version.
type Version string

// Types is what an expression is about, of known types.
type Types struct {
	Object    *api.Kind
	HasParams bool
	Params    *api.Kind // nil if it is not known
	Variables []admissionregistrationv1.Variable
}

// Rules are a definition's rules about its objects.
type Rules interface {
	// Validate says which rules an object breaks. Objects are trees of JSON, numbers are json.Numbers; old is nil when the object
	// is new. Warnings are about what was already wrong, and has not changed.
	Validate(obj, old map[string]any) (errs field.ErrorList, warnings []string)
}

// Scope is which variables an expression may use, besides object, oldObject, request, namespaceObject and variables.
type Scope struct {
	Params     bool
	Authorizer bool
	Patch      bool // not a variable: the types Object, Object.x and JSONPatch, of which a policy makes changes
}

// Want is what an expression must evaluate to.
type Want int

// What expressions evaluate to.
const (
	Bool Want = iota
	String
	StringOrNull
	Any
	Object    // a value of type Object: its fields as a tree of JSON, map[string]any
	JSONPatch // a list of values of type JSONPatch: the patch as JSON, []byte
)

// Compiler compiles expressions, which see the variables that were compiled before them.
type Compiler interface {
	// Variable compiles variables.NAME. One with a mistake is there nevertheless, and has no value.
	Variable(name, expression string, scope Scope) *Error
	Compile(expression string, want Want, scope Scope) Program
	// Start begins to evaluate what was compiled, for one request.
	Start(input *Input, budget int64) Run
}

// Program is a compiled expression, or why it could not be compiled.
type Program interface{ Err() *Error }

// Input is what expressions are about. Objects are trees of JSON, numbers are json.Numbers; nil is null.
type Input struct {
	Object, OldObject, Params, Request, Namespace map[string]any
	Authorizer                                    Authorizer
	RequestResource                               Question // what the request is about
}

// Authorizer decides for expressions who may do what.
type Authorizer interface {
	// Authorize tells whether a user may do something, and why.
	Authorize(question Question) (allowed bool, reason string)
}

// Question is what an expression asks the authorizer. A nil User is the one who made the request.
type Question struct {
	ServiceAccount *[2]string // namespace and name
	Verb           string
	Path           string // of what is no resource

	Group, Resource, Subresource, Namespace, Name string
}

// Budgets are how much the expressions for one request may cost. Upstream: apiserver/pkg/apis/cel/config.go.
const (
	CallLimit             = 1000000
	Budget                = 10000000
	BudgetMatchConditions = 2500000
	MaxMessage            = 5 * 1024 // bytes of a message that was evaluated
)

// Run evaluates programs of one compiler for one request, within a budget. Each variable is evaluated once, when it is needed.
type Run interface {
	// Evaluate returns a bool, a string, nil for null, what Want says of changes, or any other value of CEL. The error is the expression's; after
	// one for which Fatal is true nothing more is evaluated.
	Evaluate(program Program) (value any, err *Error)
	// Left is what is left of the budget.
	Left() int64
}

// Error says why an expression was not compiled, or has no value.
type Error struct {
	Internal bool
	Fatal    bool // nothing more may be evaluated
	Detail   string
}

func (e *Error) Error() string { return e.Detail }
