package evaluator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	own "kubewalk/playground/controlplane/apiserver/cel"
)

// node is a schema with the rules in it and below. Upstream: schema/cel/validation.go, Validator.
type node struct {
	e          *Evaluator
	schema     *schema
	root       bool
	rules      []rule
	err        error
	items      *node
	values     *node
	properties map[string]*node
	allOf      []*node
}

// Rules implements cel.Evaluator.
func (e *Evaluator) Rules(s *schema) own.Rules {
	if !hasRules(s) {
		return nil
	}
	if n := e.node(s, s, true); n != nil {
		return n
	}
	return nil
}

// hasRules tells whether there are any, but for those in allOf alone. Upstream: hasXValidations.
func hasRules(s *schema) bool {
	if s == nil {
		return false
	}
	if len(s.XValidations) > 0 || s.Items != nil && hasRules(s.Items.Schema) || s.AdditionalProperties != nil && hasRules(s.AdditionalProperties.Schema) {
		return true
	}
	return slices.ContainsFunc(sortedNames(s.Properties), func(name string) bool {
		p := s.Properties[name]
		return hasRules(&p)
	})
}

// node compiles the rules in one schema about values of another. Upstream: validator.
func (e *Evaluator) node(in, of *schema, root bool) *node {
	n := &node{e: e, schema: of, root: root}
	d := declare(of, root, "selfType")
	if d == nil {
		if len(in.XValidations) > 0 {
			n.err = fmt.Errorf("failed to convert to declType for CEL validation rules")
		}
	} else {
		n.rules, n.err = e.compileRules(in.XValidations, of, d)
	}
	if in.Items != nil && of.Items != nil && in.Items.Schema != nil && of.Items.Schema != nil {
		n.items = e.node(in.Items.Schema, of.Items.Schema, of.Items.Schema.XEmbeddedResource)
	}
	if in.AdditionalProperties != nil && of.AdditionalProperties != nil && in.AdditionalProperties.Schema != nil && of.AdditionalProperties.Schema != nil {
		n.values = e.node(in.AdditionalProperties.Schema, of.AdditionalProperties.Schema, of.AdditionalProperties.Schema.XEmbeddedResource)
	}
	for _, name := range sortedNames(in.Properties) {
		p := in.Properties[name]
		q, ok := of.Properties[name]
		if !ok || declare(&q, q.XEmbeddedResource, "selfType") == nil {
			continue // of such a field rules know nothing
		}
		if below := e.node(&p, &q, q.XEmbeddedResource); below != nil {
			if n.properties == nil {
				n.properties = map[string]*node{}
			}
			n.properties[name] = below
		}
	}
	for i := range in.AllOf {
		if also := e.node(&in.AllOf[i], of, root); also != nil {
			n.allOf = append(n.allOf, also)
		}
	}
	if len(n.rules) == 0 && n.err == nil && n.items == nil && n.values == nil && n.properties == nil && n.allOf == nil {
		return nil
	}
	return n
}

// Validate implements cel.Rules.
func (n *node) Validate(obj, old map[string]any) (field.ErrorList, []string) {
	r := &run{budget: own.Budget}
	var before any
	at := ratchet{}
	if old != nil {
		before, at = old, ratchet{known: true, now: obj, before: old, schema: n.schema, has: true}
	}
	r.node(n, nil, obj, before, at)
	return r.errs, r.warnings
}

// run is one validation of an object.
type run struct {
	budget   int64 // negative: nothing more is evaluated
	errs     field.ErrorList
	warnings []string
}

// ratchet is what a value, or the nearest one above it of which that can be told, was before: errors of what has not changed are
// warnings. Upstream: ratchetingOptions, and apiserver/pkg/cel/common/equality.go.
type ratchet struct {
	known       bool // this value can be told
	now, before any
	schema      *schema
	has         bool // it, or one above it, was there
	nested      bool
}

func (r ratchet) unchanged() bool { return r.has && unchanged(r.schema, r.now, r.before) }

// unchanged compares what the schema describes: what it leaves open may have changed. Upstream: CorrelatedObject.CachedDeepEqual.
func unchanged(s *schema, now, before any) bool {
	switch v := now.(type) {
	case map[string]any:
		w, ok := before.(map[string]any)
		if !ok || len(v) != len(w) {
			return false
		}
		for name, item := range v { // order: whether all are
			was, found := w[name]
			if of := fieldOf(s, name); !found || of == nil || !unchanged(of, item, was) {
				return false
			}
		}
		return true
	case []any:
		w, ok := before.([]any)
		if !ok || len(v) != len(w) {
			return false
		}
		if s.XListType == nil || *s.XListType != "map" || s.Items == nil || s.Items.Schema == nil {
			return api.SameTree(now, before)
		}
		for _, item := range v {
			if was, found := correlated(s, w, item); !found || !unchanged(s.Items.Schema, item, was) {
				return false
			}
		}
		return true
	}
	return api.SameTree(now, before)
}

func fieldOf(s *schema, name string) *schema {
	if p, ok := s.Properties[name]; ok {
		return &p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema
	}
	return nil
}

// below is what is known of a part; found says that it can be told which part it was.
func (r ratchet) below(found bool, of *schema, now, before any) ratchet {
	if !r.known {
		return r
	}
	if !found || of == nil {
		return ratchet{now: r.now, before: r.before, schema: r.schema, has: r.has, nested: true}
	}
	return ratchet{known: true, now: now, before: before, schema: of, has: true, nested: true}
}

func (r *run) node(n *node, path *field.Path, v, old any, at ratchet) {
	if n == nil || v == nil || r.budget < 0 {
		return
	}
	r.rules(n, path, v, old, at)
	for _, also := range n.allOf {
		r.node(also, path, v, old, ratchet{now: at.now, before: at.before, schema: at.schema, has: at.has && !at.known})
	}
	switch v := v.(type) {
	case []any:
		if n.items == nil {
			return
		}
		before, _ := old.([]any)
		for i, item := range v {
			was, found := correlated(n.schema, before, item)
			r.node(n.items, path.Index(i), item, was, at.below(found, n.items.schema, item, was))
		}
	case map[string]any:
		before, _ := old.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was, found := before[name]
			below := at.below(found, fieldOf(n.schema, name), v[name], was)
			if !at.nested && (name == "apiVersion" || name == "kind") {
				below = ratchet{}
			}
			if n.values != nil {
				r.node(n.values, path.Key(name), v[name], was, below)
			}
			if p := n.properties[name]; p != nil {
				r.node(p, path.Child(name), v[name], was, below)
			}
		}
	}
}

// correlated is what an item of a list with keys was before. Upstream: apiserver/pkg/cel/common/maplist.go.
func correlated(s *schema, old []any, item any) (any, bool) {
	m, ok := item.(map[string]any)
	if !ok || s.XListType == nil || *s.XListType != "map" {
		return nil, false
	}
	for _, o := range old {
		w, ok := o.(map[string]any)
		if ok && !slices.ContainsFunc(s.XListMapKeys, func(key string) bool { return !api.SameTree(m[key], w[key]) }) {
			return o, true
		}
	}
	return nil, false
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// rules evaluates a node's own rules. Upstream: validateExpressions.
func (r *run) rules(n *node, path *field.Path, v, old any, at ratchet) {
	kind := n.schema.Type
	wrong := func(format string, args ...any) {
		r.errs = append(r.errs, field.Invalid(path, kind, fmt.Sprintf(format, args...)))
	}
	switch {
	case n.err != nil:
		wrong("rule compiler initialization error: %v", n.err)
		return
	case len(n.rules) == 0:
		return
	case r.budget <= 0:
		wrong(outOfBudget)
		r.budget = -1
		return
	}
	self := n.e.typed(v, n.schema, n.root)
	plain, optional := map[string]any{"self": self}, map[string]any{"self": self, "oldSelf": types.OptionalNone}
	if old != nil {
		was := n.e.typed(old, n.schema, n.root)
		plain["oldSelf"], optional["oldSelf"] = was, types.OptionalOf(was)
	}
	for i := range n.rules {
		rule := &n.rules[i]
		variables := plain
		if rule.optional() {
			variables = optional
		}
		switch {
		case rule.err != "":
			wrong("rule compile error: %v", rule.err)
			continue
		case rule.program == nil, rule.oldSelf && old == nil && !rule.optional():
			continue
		}
		result, err := r.evaluate(rule.program, variables)
		switch {
		case r.budget < 0:
			wrong(outOfBudget)
			return
		case err == nil && result == types.True:
			continue
		case err == nil:
		case strings.HasPrefix(err.Error(), "no such overload"):
			wrong("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, rule.text())
			continue
		case strings.HasPrefix(err.Error(), overLimit):
			wrong("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err, rule.text())
			r.budget = -1
			return
		default:
			wrong("%v evaluating rule: %v", err, rule.text())
			continue
		}
		r.broken(rule, path, v, kind, plain, at)
		if r.budget < 0 {
			return
		}
	}
}

const overLimit = "operation cancelled: actual cost limit exceeded"

// evaluate also pays; what cannot be paid leaves a negative budget.
func (r *run) evaluate(p cel.Program, variables map[string]any) (ref.Val, error) {
	result, details, err := p.Eval(variables)
	cost := uint64(math.MaxUint64)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if cost > math.MaxInt64 || int64(cost) > r.budget {
		r.budget = -1
		return result, err
	}
	r.budget -= int64(cost)
	return result, err
}

// broken says that a rule is.
func (r *run) broken(rule *rule, path *field.Path, v any, kind string, variables map[string]any, at ratchet) {
	if rule.path != "" {
		path = path.Child(rule.path)
	}
	say := func(e *field.Error) {
		if !rule.oldSelf && at.unchanged() {
			r.warnings = append(r.warnings, e.Error())
		} else {
			r.errs = append(r.errs, e)
		}
	}
	detail := ""
	if rule.message != nil {
		result, err := r.evaluate(rule.message, variables)
		switch {
		case r.budget < 0:
			say(field.Invalid(path, kind, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"))
			return
		case err != nil && strings.HasPrefix(err.Error(), overLimit):
			say(field.Invalid(path, kind, fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", rule.MessageExpression)))
			r.budget = -1
			return
		case err == nil:
			if text, ok := result.Value().(string); ok {
				detail = usable(text)
			}
		}
	}
	if detail == "" {
		detail = rule.text()
		if rule.Message == "" {
			detail = "failed rule: " + detail
		}
	}
	value := v
	switch n := v.(type) {
	case json.Number:
		if i, err := n.Int64(); err == nil {
			value = i
		} else if f, err := n.Float64(); err == nil {
			value = f
		}
	}
	if kind == "object" || kind == "array" {
		value = field.OmitValueType{}
	}
	say(because(rule.Reason, path, value, detail))
}

// usable is a message that was evaluated; "" if it is none.
func usable(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > own.MaxMessage || strings.Contains(text, "\n") {
		return ""
	}
	return text
}

func because(reason *apiextensionsv1.FieldValueErrorReason, path *field.Path, value any, detail string) *field.Error {
	if reason != nil {
		switch *reason {
		case "FieldValueForbidden":
			return field.Forbidden(path, detail)
		case "FieldValueRequired":
			return field.Required(path, detail)
		case "FieldValueDuplicate":
			return field.Duplicate(path, value)
		}
	}
	return field.Invalid(path, value, detail)
}
