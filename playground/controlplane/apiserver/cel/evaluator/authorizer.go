package evaluator

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"kubewalk/playground/api/objectmeta"
	own "kubewalk/playground/controlplane/apiserver/cel"
)

// What expressions ask the authorizer. Upstream: apiserver/pkg/cel/library/authz.go.
var (
	authorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	pathCheckType     = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType    = cel.ObjectType("kubernetes.authorization.GroupCheck")
	resourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
	decisionType      = cel.ObjectType("kubernetes.authorization.Decision")
)

// check is a question that is being put together, by the type of how far it has come, or its answer.
type check struct {
	t          *cel.Type
	authorizer own.Authorizer
	question   own.Question
	allowed    bool
	reason     string
}

func (c *check) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", c.t, t)
}

func (c *check) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case c.t:
		return c
	case types.TypeType:
		return c.t
	}
	return types.NewErr("type conversion error from '%s' to '%s'", c.t, t)
}
func (c *check) Equal(other ref.Val) ref.Val {
	o, ok := other.(*check)
	if !ok || o.t != c.t {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(o == c)
}
func (c *check) Type() ref.Type { return c.t }
func (c *check) Value() any     { return c }

// with is the check with one more thing said.
func (c *check) with(t *cel.Type, set func(q *own.Question)) *check {
	out := *c
	out.t = t
	set(&out.question)
	return &out
}

// ask puts the question.
func (c *check) ask(verb string) ref.Val {
	out := c.with(decisionType, func(q *own.Question) { q.Verb = verb })
	out.allowed, out.reason = c.authorizer.Authorize(out.question)
	return out
}

func authorizers() []cel.EnvOption {
	say := func(name, id string, from, to *cel.Type, must bool, set func(q *own.Question, text string)) cel.EnvOption {
		return cel.Function(name, method2(id, from, cel.StringType, to, func(c *check, text string) ref.Val {
			if must && strings.TrimSpace(text) == "" {
				return types.NewErr("%s must not be empty", name)
			}
			return c.with(to, func(q *own.Question) { set(q, text) })
		}))
	}
	ignored := func(*own.Question, string) {} // roles know no selectors
	verb := func(c *check, verb string) ref.Val { return c.ask(verb) }
	return []cel.EnvOption{
		say("path", "authorizer_path", authorizerType, pathCheckType, true, func(q *own.Question, text string) { q.Path = text }),
		say("group", "authorizer_group", authorizerType, groupCheckType, false, func(q *own.Question, text string) { q.Group = text }),
		say("resource", "groupcheck_resource", groupCheckType, resourceCheckType, true, func(q *own.Question, text string) { q.Resource = text }),
		say("subresource", "resourcecheck_subresource", resourceCheckType, resourceCheckType, false,
			func(q *own.Question, text string) { q.Subresource = text }),
		say("namespace", "resourcecheck_namespace", resourceCheckType, resourceCheckType, false, func(q *own.Question, text string) { q.Namespace = text }),
		say("name", "resourcecheck_name", resourceCheckType, resourceCheckType, false, func(q *own.Question, text string) { q.Name = text }),
		say("fieldSelector", "authorizer_fieldselector", resourceCheckType, resourceCheckType, false, ignored),
		say("labelSelector", "authorizer_labelselector", resourceCheckType, resourceCheckType, false, ignored),
		cel.Function("serviceAccount", cel.MemberOverload("authorizer_serviceaccount", args(authorizerType, cel.StringType, cel.StringType), authorizerType,
			cel.FunctionBinding(func(v ...ref.Val) ref.Val {
				namespace, name := string(v[1].(types.String)), string(v[2].(types.String))
				switch {
				case len(objectmeta.NameIsDNSSubdomain(name, false)) > 0:
					return types.NewErr("Invalid service account name")
				case len(objectmeta.NameIsDNSLabel(namespace, false)) > 0:
					return types.NewErr("Invalid service account namespace")
				}
				return v[0].(*check).with(authorizerType, func(q *own.Question) { q.ServiceAccount = &[2]string{namespace, name} })
			}))),
		cel.Function("check", method2("pathcheck_check", pathCheckType, cel.StringType, decisionType, verb),
			method2("resourcecheck_check", resourceCheckType, cel.StringType, decisionType, verb)),
		cel.Function("allowed", method("decision_allowed", decisionType, cel.BoolType, func(c *check) ref.Val { return types.Bool(c.allowed) })),
		cel.Function("reason", method("decision_reason", decisionType, cel.StringType, func(c *check) ref.Val { return types.String(c.reason) })),
		cel.Function("errored", method("decision_errored", decisionType, cel.BoolType, func(*check) ref.Val { return types.False })),
		cel.Function("error", method("decision_error", decisionType, cel.StringType, func(*check) ref.Val { return types.String("") })),
	}
}
