package admission

import (
	"bytes"
	"encoding/json"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/controlplane/apiserver/cel"
)

// input is what expressions see of a request. Upstream: admission/plugin/cel/condition.go and activation.go.
func input(host Host, a *Attributes) (*cel.Input, error) {
	in := &cel.Input{Authorizer: asks{host, a.UserInfo}, RequestResource: cel.Question{
		Group: a.Kind.Group, Resource: a.Kind.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name}}
	var err error
	if in.Object, err = treeOf(a.Object); err != nil {
		return nil, err
	}
	if in.OldObject, err = treeOf(a.OldObject); err != nil {
		return nil, err
	}
	in.Request, err = tree(newRequest("", a))
	return in, err
}

// treeOf is an object as a tree of JSON; nil if there is none.
func treeOf(obj api.Object) (map[string]any, error) {
	if obj == nil {
		return nil, nil
	}
	text, err := api.Encode(obj)
	if err != nil {
		return nil, err
	}
	return decoded(text)
}

func tree(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decoded(text)
}

func decoded(text []byte) (out map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return out, d.Decode(&out)
}

// asks is the authorizer that expressions have.
type asks struct {
	host Host
	user *authenticationv1.UserInfo
}

func (z asks) Authorize(q cel.Question) (bool, string) { return z.host.Authorize(z.user, q) }

// conditions are match conditions. Upstream: webhook/matchconditions/matcher.go.
type conditions []cel.Program

func compileConditions(c cel.Compiler, list []admissionregistrationv1.MatchCondition, scope cel.Scope) conditions {
	var out conditions
	for i := range list {
		out = append(out, c.Compile(list[i].Expression, cel.Bool, scope))
	}
	return out
}

// match tells whether a request meets all conditions. One that it does not meet decides, whatever is wrong with others.
func (c conditions) match(run cel.Run, failsOpen bool) (bool, error) {
	var wrong failures
	for _, program := range c {
		value, err := run.Evaluate(program)
		switch {
		case err != nil && err.Fatal:
			if failsOpen {
				return false, nil
			}
			return false, err
		case err != nil:
			wrong = append(wrong, err.Detail)
		case value == false:
			return false, nil
		}
	}
	if len(wrong) > 0 && !failsOpen {
		return false, wrong
	}
	return len(wrong) == 0, nil
}

// failures are several as one. Upstream: apimachinery/pkg/util/errors, aggregate.
type failures []string

func (f failures) Error() string {
	if len(f) == 1 {
		return f[0]
	}
	var all []string
	seen := map[string]bool{}
	for _, text := range f {
		if !seen[text] {
			all = append(all, text)
		}
		seen[text] = true
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}
