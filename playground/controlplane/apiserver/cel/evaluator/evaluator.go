// Package evaluator evaluates CEL for the API server, on cel-go: rules of definitions, policies, and conditions of webhooks. A
// program that imports it has CEL.
//
// An evaluator belongs to one server. What it does takes no virtual time, as admission's plugins; what it costs is counted as
// upstream does, and bounded. Maps are gone through in the order of their keys, where upstream's order changes.
//
// Absent: selectors in questions to the authorizer.
//
// Upstream: apiserver/pkg/cel, apiserver/pkg/admission/plugin/cel, apiextensions-apiserver/pkg/apiserver/schema/cel.
package evaluator

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"

	own "kubewalk/playground/controlplane/apiserver/cel"
)

func init() { own.Installed = func() own.Evaluator { return &Evaluator{} } }

// Evaluator implements cel.Evaluator.
type Evaluator struct {
	adapter types.Adapter
	base    *cel.Env // made when it is first needed
}

// environment has the functions that all expressions may use. Upstream: apiserver/pkg/cel/environment/base.go.
func (e *Evaluator) environment() *cel.Env {
	if e.base != nil {
		return e.base
	}
	e.adapter = adapter{types.DefaultTypeAdapter}
	env, err := cel.NewEnv(append(libraries(),
		cel.CustomTypeAdapter(e.adapter),
		cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(), cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)), ext.Sets(), ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
	)...)
	if err != nil {
		panic("evaluator: " + err.Error()) // all of it stands above
	}
	e.base = env
	return env
}

// extend is the environment with variables, and with structs that they have.
func (e *Evaluator) extend(structs []*declared, variables ...cel.EnvOption) (*cel.Env, error) {
	base := e.environment()
	if len(structs) > 0 {
		p := newProvider(base.CELTypeProvider(), structs...)
		variables = append([]cel.EnvOption{cel.CustomTypeProvider(p)}, variables...)
	}
	return base.Extend(variables...)
}

// program makes a compiled expression one that can be evaluated.
func program(env *cel.Env, ast *cel.Ast, c *costs) (cel.Program, error) {
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(own.CallLimit), cel.CostTracking(c), cel.OptimizeRegex(patterns()...),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
}
