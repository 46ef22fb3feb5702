package evaluator

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
)

type schema = apiextensionsv1.JSONSchemaProps

// rule is one of x-kubernetes-validations, compiled. Upstream: schema/cel/compilation.go, CompilationResult.
type rule struct {
	*apiextensionsv1.ValidationRule
	program, message cel.Program
	err, messageErr  string
	oldSelf          bool
	cost, messageMax uint64 // at most
	path             string // of the field that errors are about
}

func (r *rule) optional() bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// text is what stands for the rule in messages. Upstream: ruleErrorString.
func (r *rule) text() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule)
}

// compileRules compiles the rules of one schema, about values of another: one in allOf has no types of its own.
// Upstream: schema/cel/compilation.go, Compile.
func (e *Evaluator) compileRules(rules []apiextensionsv1.ValidationRule, of *schema, d *declared) ([]rule, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	structs := []*declared{d}
	plain, err := e.extend(structs, cel.Variable("self", d.cel), cel.Variable("oldSelf", d.cel))
	if err != nil {
		return nil, err
	}
	optional, err := e.extend(structs, cel.Variable("self", d.cel), cel.Variable("oldSelf", types.NewOptionalType(d.cel)))
	if err != nil {
		return nil, err
	}
	out := make([]rule, len(rules))
	for i := range rules {
		r := &out[i]
		r.ValidationRule = &rules[i]
		env := plain
		if r.optional() {
			env = optional
		}
		r.compile(env, of, &costs{root: d})
	}
	return out, nil
}

func (r *rule) compile(env *cel.Env, of *schema, c *costs) {
	if path, _, err := fieldPath(r.FieldPath, of); r.FieldPath != "" && err == nil {
		r.path = path.String()
	}
	if strings.TrimSpace(r.Rule) == "" {
		return
	}
	ast, issues := env.Compile(r.Rule)
	switch {
	case issues != nil && issues.Err() != nil:
		r.err = "compilation failed: " + issues.String()
		return
	case ast.OutputType() != cel.BoolType:
		r.err = "cel expression must evaluate to a bool"
		return
	}
	for _, ref := range ast.NativeRep().ReferenceMap() { // order: whether there is one
		r.oldSelf = r.oldSelf || ref.Name == "oldSelf"
	}
	var err error
	if r.program, err = program(env, ast, c); err != nil {
		r.err = "program instantiation failed: " + err.Error()
		return
	}
	estimate, err := env.EstimateCost(ast, c)
	if err != nil {
		r.program, r.err = nil, "cost estimation failed: "+err.Error()
		return
	}
	r.cost = estimate.Max
	if r.MessageExpression == "" {
		return
	}
	ast, issues = env.Compile(r.MessageExpression)
	switch {
	case issues != nil && issues.Err() != nil:
		r.messageErr = "messageExpression compilation failed: " + issues.String()
		return
	case ast.OutputType() != cel.StringType:
		r.messageErr = "messageExpression must evaluate to a string"
		return
	}
	if r.message, err = program(env, ast, c); err != nil {
		r.messageErr = "messageExpression instantiation failed: " + err.Error()
		return
	}
	if estimate, err = env.EstimateCost(ast, c); err != nil {
		r.message, r.messageErr = nil, "cost estimation failed for messageExpression: "+err.Error()
		return
	}
	r.messageMax = estimate.Max
}

// Limits of what rules may cost, as estimated. Upstream: apiextensions/validation/validation.go.
const (
	ruleLimit   = 10000000
	schemaLimit = 100000000
)

// CheckSchema implements cel.Evaluator. Upstream: ValidateCustomResourceDefinitionOpenAPISchema, and what comes after it.
func (e *Evaluator) CheckSchema(s *schema, path *field.Path) field.ErrorList {
	c := schemaCheck{e: e}
	c.check(s, path, true, 1, nil)
	if c.total > schemaLimit {
		for _, x := range c.expensive {
			c.errs = append(c.errs, field.Forbidden(x.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
		}
		c.errs = append(c.errs, field.Forbidden(path, exceeds("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.total, schemaLimit)))
	}
	return c.errs
}

type schemaCheck struct {
	e         *Evaluator
	errs      field.ErrorList
	total     uint64
	expensive []expense
}

type expense struct {
	path *field.Path
	cost uint64
}

func (c *schemaCheck) observe(path *field.Path, cost uint64) {
	c.total += min(cost, math.MaxUint64-c.total)
	if cost < schemaLimit/100 {
		return
	}
	c.expensive = append(c.expensive, expense{path, cost})
	slices.SortStableFunc(c.expensive, func(a, b expense) int {
		switch {
		case a.cost > b.cost:
			return -1
		case a.cost < b.cost:
			return 1
		}
		return 0
	})
	c.expensive = c.expensive[:min(len(c.expensive), 4)]
}

// check goes through a schema; many is how often a value of it may be in an object, 0 for no bound, and apart is a schema above
// it of whose values nobody can tell which they were before.
// Where a rule's path is wrong, in a schema or in one below it, its rules are not compiled.
func (c *schemaCheck) check(s *schema, path *field.Path, root bool, many uint64, apart *field.Path) (good bool) {
	good = true
	bounded := many != unbounded
	child := func(limit *int64) uint64 {
		if !bounded || limit == nil {
			return unbounded
		}
		return times(many, uint64(max(*limit, 0)))
	}
	for _, name := range sortedNames(s.Properties) {
		p := s.Properties[name]
		n := many
		if s.AdditionalProperties != nil {
			n = child(s.MaxProperties)
		}
		good = c.check(&p, path.Child("properties").Key(name), false, n, apart) && good
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		good = c.check(a.Schema, path.Child("additionalProperties"), false, child(s.MaxProperties), apart) && good
	}
	if s.Items != nil && s.Items.Schema != nil {
		below := apart
		if below == nil && (s.XListType == nil || *s.XListType != "map") {
			below = path
		}
		good = c.check(s.Items.Schema, path.Child("items"), false, child(s.MaxItems), below) && good
	}
	at := path.Child("x-kubernetes-validations")
	for i := range s.XValidations {
		text := s.XValidations[i].FieldPath
		if _, _, err := fieldPath(text, s); err != nil {
			c.errs = append(c.errs, field.Invalid(at.Index(i).Child("fieldPath"), text, "must be a valid path"))
			good = false
		}
	}
	if len(s.XValidations) == 0 || !good {
		return good
	}
	d := declare(s, root || s.XEmbeddedResource, "selfType")
	if d == nil {
		c.errs = append(c.errs, &field.Error{Type: field.ErrorTypeInternal, Field: at.String(), Detail: "internal error: failed to construct type information " +
			"for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"})
		return good
	}
	rules, err := c.e.compileRules(s.XValidations, s, d)
	if err != nil {
		c.errs = append(c.errs, &field.Error{Type: field.ErrorTypeInternal, Field: at.String(), Detail: err.Error()})
		return good
	}
	if !bounded {
		many = cardinality(d.smallest)
	}
	for i := range rules {
		c.checkRule(&rules[i], at.Index(i), many, apart)
	}
	return good
}

// unbounded is when nobody can say how often something may occur.
const unbounded = math.MaxUint64

func (c *schemaCheck) checkRule(r *rule, at *field.Path, many uint64, apart *field.Path) {
	say := func(e *field.Error) { c.errs = append(c.errs, e) }
	cost := times(r.cost, many)
	if cost > ruleLimit {
		say(field.Forbidden(at.Child("rule"), exceeds("estimated rule cost", cost, ruleLimit)))
	}
	c.observe(at.Child("rule"), cost)
	if r.err != "" {
		say(field.Invalid(at.Child("rule"), shown(r.ValidationRule), r.err))
	}
	switch {
	case r.messageErr != "":
		say(field.Invalid(at.Child("messageExpression"), shown(r.ValidationRule), r.messageErr))
	case r.message != nil:
		if r.messageMax > ruleLimit {
			say(field.Forbidden(at.Child("messageExpression"), exceeds("estimated messageExpression cost", r.messageMax, ruleLimit)))
		}
		c.observe(at.Child("messageExpression"), r.messageMax)
	}
	switch {
	case r.oldSelf && apart != nil:
		say(field.Invalid(at.Child("rule"), r.Rule, fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", apart)))
	case !r.oldSelf && r.OptionalOldSelf != nil:
		say(field.Invalid(at.Child("optionalOldSelf"), *r.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
	}
}

// shown is a rule as messages have it: upstream's internal type, whose fields have no names in JSON.
func shown(r *apiextensionsv1.ValidationRule) any {
	return struct {
		Rule, Message, MessageExpression string
		Reason                           *apiextensionsv1.FieldValueErrorReason
		FieldPath                        string
		OptionalOldSelf                  *bool
	}{r.Rule, r.Message, r.MessageExpression, r.Reason, r.FieldPath, r.OptionalOldSelf}
}

// exceeds is upstream's getCostErrorMessage.
func exceeds(what string, cost, limit uint64) string {
	factor := fmt.Sprintf("%.1fx", float64(cost)/float64(limit))
	switch f := float64(cost) / float64(limit); {
	case f > 100:
		factor = "more than 100x"
	case f < 1.5:
		factor = fmt.Sprintf("%fx", f)
	}
	return fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "+
		"arrays, maps, and strings are declared)", what, factor)
}
