// Package conformance holds authorization and the Pod Security Standards against upstream's own code.
package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/component-helpers/auth/rbac/validation"
	registry "k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"

	"kubewalk/playground/api"
	"kubewalk/playground/api/policyrule"
	ours "kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/apiserver/authorization"
)

// The roles and bindings of every cluster are upstream's, with the same names, labels and rules.
func TestBootstrapPolicy(t *testing.T) {
	want := map[string]any{}
	add := func(kind, namespace string, name string, obj any) { want[kind+" "+namespace+"/"+name] = obj }
	for _, r := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		add("ClusterRole", "", r.Name, r)
	}
	for _, b := range append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...) {
		add("ClusterRoleBinding", "", b.Name, b)
	}
	for namespace, list := range bootstrappolicy.NamespaceRoles() {
		for _, r := range list {
			add("Role", namespace, r.Name, r)
		}
	}
	for namespace, list := range bootstrappolicy.NamespaceRoleBindings() {
		for _, b := range list {
			add("RoleBinding", namespace, b.Name, b)
		}
	}
	for _, obj := range authorization.Bootstrap() {
		key := api.KindOf(obj).Kind + " " + obj.GetNamespace() + "/" + obj.GetName()
		if got, upstream := plain(t, obj), plain(t, want[key]); !reflect.DeepEqual(got, upstream) {
			t.Errorf("%s:\nours     %v\nupstream %v", key, got, upstream)
		}
		delete(want, key)
	}
	for key := range want {
		t.Errorf("%s is missing", key)
	}
}

// plain is an object as JSON has it, without what is empty or its kind.
func plain(t *testing.T, obj any) map[string]any {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "kind")
	delete(out, "apiVersion")
	if meta, ok := out["metadata"].(map[string]any); ok {
		delete(meta, "creationTimestamp")
	}
	for _, key := range []string{"rules", "subjects"} {
		if out[key] == nil {
			delete(out, key)
		}
	}
	return out
}

var (
	verbs     = []string{"get", "list", "create", "delete", "*"}
	groups    = []string{"", "apps", "batch", "*"}
	resources = []string{"pods", "deployments", "pods/log", "*/log", "*/scale", "deployments/scale", "*"}
	names     = []string{"a", "b", "c"}
	paths     = []string{"/healthz", "/logs/*", "/logs/a", "/api*", "*", "/"}
	people    = []string{"ann", "bob", "system:serviceaccount:ns-1:robot", "system:serviceaccount:ns-2:robot"}
	crowds    = []string{"g1", "g2", "system:serviceaccounts"}
	spaces    = []string{"ns-1", "ns-2"}
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func some(r *rand.Rand, from []string) (out []string) {
	for range 1 + r.IntN(2) {
		out = append(out, pick(r, from))
	}
	return out
}

func randomRules(r *rand.Rand) (rules []rbacv1.PolicyRule) {
	for range r.IntN(4) {
		rule := rbacv1.PolicyRule{Verbs: some(r, verbs), APIGroups: some(r, groups), Resources: some(r, resources)}
		switch r.IntN(4) {
		case 0:
			rule.ResourceNames = some(r, names)
		case 1:
			rule = rbacv1.PolicyRule{Verbs: some(r, verbs), NonResourceURLs: some(r, paths)}
		}
		rules = append(rules, rule)
	}
	return rules
}

// converted is an object in the other's types.
func converted[T any](t *testing.T, from any) (to T) {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &to); err != nil {
		t.Fatal(err)
	}
	return to
}

// world is a random set of roles and bindings, for both.
type world struct {
	theirs registry.AuthorizationRuleResolver
	rbac   *rbac.RBACAuthorizer
	store  store
}

type store []api.Object

func (s store) Get(resource, namespace, name string) api.Object {
	for _, obj := range s.List(resource, namespace) {
		if obj.GetName() == name {
			return obj
		}
	}
	return nil
}

func (s store) List(resource, namespace string) (out []api.Object) {
	for _, obj := range s {
		if api.KindOf(obj).Resource == resource && (namespace == "" || obj.GetNamespace() == namespace) {
			out = append(out, obj)
		}
	}
	return out
}

func randomWorld(t *testing.T, r *rand.Rand) world {
	var w world
	var roles []*rbacv1.Role
	var bindings []*rbacv1.RoleBinding
	var clusterRoles []*rbacv1.ClusterRole
	var clusterBindings []*rbacv1.ClusterRoleBinding
	subjects := func() (out []rbacv1.Subject) {
		for range 1 + r.IntN(2) {
			switch r.IntN(3) {
			case 0:
				out = append(out, rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: pick(r, people)})
			case 1:
				out = append(out, rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: pick(r, crowds)})
			default:
				out = append(out, rbacv1.Subject{Kind: "ServiceAccount", Namespace: pick(r, append(spaces, "")), Name: "robot"})
			}
		}
		return out
	}
	for i := range 4 {
		role := &rbacv1.ClusterRole{Rules: randomRules(r)}
		role.Name = fmt.Sprint("role-", i)
		clusterRoles = append(clusterRoles, role)
		o := converted[ours.ClusterRole](t, role)
		w.store = append(w.store, &o)
		for _, namespace := range spaces {
			role := &rbacv1.Role{Rules: randomRules(r)}
			role.Namespace, role.Name = namespace, fmt.Sprint("role-", i)
			roles = append(roles, role)
			o := converted[ours.Role](t, role)
			w.store = append(w.store, &o)
		}
	}
	for i := range 3 {
		role := func(kind string) rbacv1.RoleRef {
			return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: fmt.Sprint("role-", r.IntN(4))}
		}
		b := &rbacv1.ClusterRoleBinding{Subjects: subjects(), RoleRef: role("ClusterRole")}
		b.Name = fmt.Sprint("binding-", i)
		clusterBindings = append(clusterBindings, b)
		o := converted[ours.ClusterRoleBinding](t, b)
		w.store = append(w.store, &o)
		for _, namespace := range spaces {
			b := &rbacv1.RoleBinding{Subjects: subjects(), RoleRef: role(pick(r, []string{"Role", "ClusterRole"}))}
			b.Namespace, b.Name = namespace, fmt.Sprint("binding-", i)
			bindings = append(bindings, b)
			o := converted[ours.RoleBinding](t, b)
			w.store = append(w.store, &o)
		}
	}
	resolver, static := registry.NewTestRuleResolver(roles, bindings, clusterRoles, clusterBindings)
	w.theirs, w.rbac = resolver, rbac.New(static, static, static, static)
	return w
}

// Requests and roles of all sorts: upstream's RBACAuthorizer and ConfirmNoEscalation decide the same, for the same reasons.
func TestRBACAuthorizer(t *testing.T) {
	allowed, refused, escalated, confirmed := 0, 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := randomWorld(t, r)
		mine := authorization.New(w.store)
		for range 60 {
			who, in := pick(r, people), pick(r, append(spaces, ""))
			members := append(some(r, crowds), "system:authenticated")
			them := &user.DefaultInfo{Name: who, Groups: members}
			a := authorizer.AttributesRecord{User: them, Verb: pick(r, verbs[:4]), Namespace: in, APIGroup: pick(r, groups[:3]), ResourceRequest: true,
				Resource: pick(r, []string{"pods", "deployments"}), Subresource: pick(r, []string{"", "", "log", "scale"}), Name: pick(r, append(names, ""))}
			b := &authorization.Attributes{User: &authorization.User{Username: who, Groups: members}, Namespace: in,
				Request: policyrule.Request{Verb: a.Verb, Group: a.APIGroup, Resource: a.Resource, Subresource: a.Subresource, Name: a.Name}}
			if r.IntN(4) == 0 {
				path := pick(r, []string{"/healthz", "/logs/a", "/logs/b/c", "/api", "/apis", "/"})
				a = authorizer.AttributesRecord{User: them, Verb: a.Verb, Path: path}
				b.Namespace, b.Request = "", policyrule.Request{Verb: a.Verb, Path: path}
			}
			decision, reason, err := w.rbac.Authorize(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			ok, why := mine.Authorize(b)
			if ok != (decision == authorizer.DecisionAllow) || why != reason {
				t.Fatalf("seed %d: %+v: ours %v %q, upstream %v %q", seed, b, ok, why, decision, reason)
			}
			if ok {
				allowed++
			} else {
				refused++
			}
			rules := randomRules(r)
			ctx := request.WithNamespace(request.WithUser(context.Background(), them), in)
			theirs := registry.ConfirmNoEscalation(ctx, w.theirs, rules)
			role := &ours.ClusterRole{Rules: converted[[]ours.PolicyRule](t, rules)}
			role.Name = "new"
			c := *b
			c.Namespace, c.Request = in, policyrule.Request{Verb: "create", Group: ours.GroupName, Resource: "clusterroles"}
			got := mine.ConfirmNoEscalation(&c, role, nil)
			if got == nil != (theirs == nil) {
				escalate := c
				escalate.Verb = "escalate"
				if may, _ := mine.Authorize(&escalate); got != nil || !may {
					t.Fatalf("seed %d: %v: ours %v, upstream %v", seed, rules, got, theirs)
				}
			} else if got != nil {
				escalated++
				if want := `clusterroles.rbac.authorization.k8s.io "new" is forbidden: ` + theirs.Error(); got.Error() != want {
					t.Fatalf("seed %d:\nours     %s\nupstream %s", seed, got, want)
				}
			} else {
				confirmed++
			}
		}
	}
	if min(allowed, refused, escalated, confirmed) < 500 {
		t.Errorf("%d allowed, %d refused, %d escalations, %d none: too few of one", allowed, refused, escalated, confirmed)
	}
}

// What rules cover, taken apart and joined again.
func TestCovers(t *testing.T) {
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 8))
		owner, others := randomRules(r), randomRules(r)
		want, missing := validation.Covers(owner, others)
		got, ourMissing := policyrule.Covers(converted[[]ours.PolicyRule](t, owner), converted[[]ours.PolicyRule](t, others))
		if got != want || len(missing) != len(ourMissing) {
			t.Fatalf("seed %d: %v by %v: ours %v %v, upstream %v %v", seed, others, owner, got, ourMissing, want, missing)
		}
		compact, err := registry.CompactRules(missing)
		if err != nil {
			t.Fatal(err)
		}
		var a, b []string
		for _, rule := range compact {
			a = append(a, fmt.Sprint(rule))
		}
		for _, rule := range policyrule.Compact(ourMissing) {
			b = append(b, fmt.Sprint(converted[rbacv1.PolicyRule](t, rule)))
		}
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Fatalf("seed %d: ours %v, upstream %v", seed, b, a)
		}
	}
}
