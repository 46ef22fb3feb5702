package authorization

import (
	"slices"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
)

// stored is a Store of a few objects.
type stored []api.Object

func (s stored) Get(resource, namespace, name string) api.Object {
	for _, obj := range s.List(resource, namespace) {
		if obj.GetName() == name {
			return obj
		}
	}
	return nil
}

func (s stored) List(resource, namespace string) (out []api.Object) {
	for _, obj := range s {
		if api.KindOf(obj).Resource == resource && (namespace == "" || obj.GetNamespace() == namespace) {
			out = append(out, obj)
		}
	}
	return out
}

const roles = `ClusterRole reader
get,list,watch "" pods,pods/log
ClusterRole scaler
get,update * */scale
ClusterRole one
get,list "" configmaps settings
ClusterRole paths
get /healthz,/logs/*
ClusterRole everything
* * *
* *
ClusterRole nodes
impersonate:arbitrary-node authentication.k8s.io nodes
impersonate-on:arbitrary-node:list "" pods
ClusterRole others
impersonate "" users,serviceaccounts ann,robot
Role shop/editor
create,delete apps deployments
ClusterRoleBinding readers ClusterRole:reader Group:readers
ClusterRoleBinding scalers ClusterRole:scaler User:sam
ClusterRoleBinding paths ClusterRole:paths User:sam
ClusterRoleBinding root ClusterRole:everything User:root
ClusterRoleBinding nodes ClusterRole:nodes User:agent
ClusterRoleBinding others ClusterRole:others User:boss
RoleBinding shop/editors Role:editor User:ann ServiceAccount:shop/robot
RoleBinding shop/settings ClusterRole:one User:ann
RoleBinding shop/lost Role:nosuch User:lost
RoleBinding shop/lost-too ClusterRole:nosuch User:lost
`

func authorizer() *Authorizer {
	objects := stored(Read(roles))
	for _, obj := range objects {
		if b, is := obj.(*rbacv1.RoleBinding); is && b.Name == "editors" {
			b.Subjects[1].Namespace = "" // it is the binding's
		}
	}
	pod := func(namespace, name, node string, spec corev1.PodSpec) *corev1.Pod {
		p := &corev1.Pod{Spec: spec}
		p.Namespace, p.Name, p.Spec.NodeName = namespace, name, node
		return p
	}
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "volume"}}
	claim.Namespace, claim.Name = "shop", "claim"
	return New(append(objects, claim,
		pod("shop", "web", "node-1", corev1.PodSpec{ServiceAccountName: "robot",
			Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}}}},
			Containers: []corev1.Container{{EnvFrom: []corev1.EnvFromSource{
				{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "key"}}}}}}}),
		pod("shop", "other", "node-2", corev1.PodSpec{})))
}

// What may be done, and in whose words it may not.
// Upstream: plugin/pkg/auth/authorizer/rbac/rbac_test.go, TestAuthorizer and TestRuleMatches; node/node_authorizer_test.go.
func TestAuthorize(t *testing.T) {
	ann, lost, sam := NewUser("ann"), NewUser("lost"), NewUser("sam")
	in := func(namespace, verb, group, resource, subresource, name string) Attributes {
		return Attributes{Namespace: namespace, Request: policyrule.Request{Verb: verb, Group: group, Resource: resource, Subresource: subresource, Name: name}}
	}
	path := func(verb, path string) Attributes {
		return Attributes{Request: policyrule.Request{Verb: verb, Path: path}}
	}
	node := func(namespace, verb, resource, name, fieldNode string) Attributes {
		a := in(namespace, verb, "", resource, "", name)
		a.FieldNode = fieldNode
		return a
	}
	for _, c := range []struct {
		user *User
		a    Attributes
		want string // the reason why it is allowed; else the error
	}{
		{ann, in("default", "list", "", "pods", "", ""), `pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "default"`},
		{ann, in("", "list", "", "pods", "", ""), `pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope`},
		{ann, in("shop", "get", "", "pods", "log", "web"),
			`pods "web" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"`},
		{ann, in("", "get", "example.com", "w<b>", "", "x"),
			`w<b>.example.com "x" is forbidden: User "ann" cannot get resource "w&lt;b&gt;" in API group "example.com" at the cluster scope`},
		{ann, path("get", "/metrics"), `forbidden: User "ann" cannot get path "/metrics"`},
		{NewUser("bob", "readers"), in("default", "get", "", "pods", "log", "web"), `RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "readers"`},
		{NewUser("bob", "readers"), in("default", "get", "", "pods", "exec", "web"),
			`pods "web" is forbidden: User "bob" cannot get resource "pods/exec" in API group "" in the namespace "default"`},
		{sam, in("x", "update", "apps", "deployments", "scale", "web"), `RBAC: allowed by ClusterRoleBinding "scalers" of ClusterRole "scaler" to User "sam"`},
		{sam, in("x", "update", "apps", "deployments", "", "web"),
			`deployments.apps "web" is forbidden: User "sam" cannot update resource "deployments" in API group "apps" in the namespace "x"`},
		{sam, path("get", "/logs/a/b"), `RBAC: allowed by ClusterRoleBinding "paths" of ClusterRole "paths" to User "sam"`},
		{sam, path("get", "/healthz"), `RBAC: allowed by ClusterRoleBinding "paths" of ClusterRole "paths" to User "sam"`},
		{sam, path("get", "/healthz/etcd"), `forbidden: User "sam" cannot get path "/healthz/etcd"`},
		{sam, path("post", "/healthz"), `forbidden: User "sam" cannot post path "/healthz"`},
		{ann, in("shop", "delete", "apps", "deployments", "", "web"), `RBAC: allowed by RoleBinding "editors/shop" of Role "editor" to User "ann"`},
		{ann, in("other", "delete", "apps", "deployments", "", "web"),
			`deployments.apps "web" is forbidden: User "ann" cannot delete resource "deployments" in API group "apps" in the namespace "other"`},
		{ServiceAccount("shop", "robot"), in("shop", "create", "apps", "deployments", "", ""),
			`RBAC: allowed by RoleBinding "editors/shop" of Role "editor" to ServiceAccount "robot/shop"`},
		{ServiceAccount("other", "robot"), in("shop", "create", "apps", "deployments", "", ""),
			`deployments.apps is forbidden: User "system:serviceaccount:other:robot" cannot create resource "deployments" in API group "apps" in the namespace "shop"`},
		{ann, in("shop", "get", "", "configmaps", "", "settings"), `RBAC: allowed by RoleBinding "settings/shop" of ClusterRole "one" to User "ann"`},
		{ann, in("shop", "list", "", "configmaps", "", ""), `configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "shop"`},
		{lost, in("shop", "list", "", "pods", "", ""), `pods is forbidden: User "lost" cannot list resource "pods" in API group "" in the namespace "shop": ` +
			`RBAC: [role.rbac.authorization.k8s.io "nosuch" not found, clusterrole.rbac.authorization.k8s.io "nosuch" not found]`},
		{NewUser("root"), path("delete", "/"), `RBAC: allowed by ClusterRoleBinding "root" of ClusterRole "everything" to User "root"`},
		{NewUser("kubernetes-admin", SystemPrivilegedGroup), in("", "delete", "", "nodes", "", "x"), ""},

		{NodeUser("node-1"), node("shop", "get", "secrets", "key", ""), ""},
		{NodeUser("node-2"), node("shop", "get", "secrets", "key", ""), `secrets "key" is forbidden: User "system:node:node-2" cannot get resource "secrets" ` +
			`in API group "" in the namespace "shop": no relationship found between node 'node-2' and this object`},
		{NodeUser("node-1"), node("shop", "list", "secrets", "", ""), `secrets is forbidden: User "system:node:node-1" cannot list resource "secrets" ` +
			`in API group "" in the namespace "shop": No Object name found`},
		{NodeUser("node-1"), node("shop", "delete", "secrets", "key", ""), `secrets "key" is forbidden: User "system:node:node-1" cannot delete resource "secrets" ` +
			`in API group "" in the namespace "shop": can only read resources of this type`},
		{NodeUser("node-1"), node("", "get", "persistentvolumes", "volume", ""), ""},
		{NodeUser("node-2"), node("", "get", "persistentvolumes", "volume", ""), `persistentvolumes "volume" is forbidden: User "system:node:node-2" cannot get ` +
			`resource "persistentvolumes" in API group "" at the cluster scope: no relationship found between node 'node-2' and this object`},
		{NodeUser("node-1"), node("", "watch", "pods", "", "node-1"), ""},
		{NodeUser("node-1"), node("", "watch", "pods", "", "node-2"), `pods is forbidden: User "system:node:node-1" cannot watch resource "pods" ` +
			`in API group "" at the cluster scope: can only list/watch pods with spec.nodeName field selector`},
		{NodeUser("node-1"), node("", "get", "nodes", "node-2", ""), `nodes "node-2" is forbidden: User "system:node:node-1" cannot get resource "nodes" ` +
			`in API group "" at the cluster scope: node 'node-1' cannot read 'node-2', only its own Node object`},
		{NodeUser("node-1"), node("", "list", "services", "", ""), ""},
		{NodeUser("node-1"), node("", "delete", "services", "x", ""),
			`services "x" is forbidden: User "system:node:node-1" cannot delete resource "services" in API group "" at the cluster scope`},
		{NodeUser("node-1"), in("shop", "create", "", "serviceaccounts", "token", "robot"), ""},
		{NodeUser("node-1"), in("kube-node-lease", "update", "coordination.k8s.io", "leases", "", "node-2"), `leases.coordination.k8s.io "node-2" is forbidden: ` +
			`User "system:node:node-1" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "kube-node-lease": ` +
			`can only access node lease with the same name as the requesting node`},
	} {
		z, a := authorizer(), c.a
		a.User = c.user
		allowed, got := z.Authorize(&a)
		if !allowed {
			got = a.Forbidden(got).Error()
		}
		if got != c.want {
			t.Errorf("%s: %+v\ngot  %s\nwant %s", a.User.Username, a.Request, got, c.want)
		}
	}
}

// Whom one may act as, and what one is then.
// Upstream: apiserver/pkg/endpoints/filters/impersonation/constrained_impersonation_test.go.
func TestImpersonate(t *testing.T) {
	z := authorizer()
	list := policyrule.Request{Verb: "list", Resource: "pods"}
	for _, c := range []struct {
		who    *User
		wanted User
		groups []string
		fails  string
	}{
		{who: NewUser("root"), wanted: User{Username: "x", Groups: []string{"g"}}, groups: []string{"g", AllAuthenticated}},
		{who: NewUser("root"), wanted: User{Username: Anonymous}, groups: []string{AllUnauthenticated}},
		{who: NewUser("root"), wanted: User{Username: "x", Groups: []string{SystemPrivilegedGroup}}, groups: []string{SystemPrivilegedGroup, AllAuthenticated}},
		{who: NewUser("root"), wanted: User{Username: "system:serviceaccount:shop:robot"},
			groups: []string{"system:serviceaccounts", "system:serviceaccounts:shop", AllAuthenticated}},
		{who: NewUser("agent"), wanted: User{Username: "system:node:node-1"}, groups: []string{NodesGroup, AllAuthenticated}},
		{who: NewUser("agent"), wanted: User{Username: "ann"},
			fails: `pods is forbidden: User "agent" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "shop"`},
		{who: NewUser("boss"), wanted: User{Username: "ann"}, groups: []string{AllAuthenticated}},
		{who: NewUser("boss"), wanted: User{Username: "bob"}, // as it was done last
			fails: `users "bob" is forbidden: User "boss" cannot impersonate resource "users" in API group "" at the cluster scope`},
		{who: NewUser("boss"), wanted: User{Username: "ann", Groups: []string{"admins"}},
			fails: `groups "admins" is forbidden: User "boss" cannot impersonate resource "groups" in API group "" at the cluster scope`},
		{who: NewUser("nobody"), wanted: User{Username: "system:serviceaccount:shop:robot"},
			fails: `pods is forbidden: User "nobody" cannot impersonate-on:serviceaccount:list resource "pods" in API group "" in the namespace "shop"`},
		{who: NewUser("root"), wanted: User{Groups: []string{"g"}},
			fails: `requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name`},
	} {
		got, err := z.Impersonate(&Attributes{User: c.who, Namespace: "shop", Request: list}, &c.wanted)
		switch {
		case err != nil && err.Error() != c.fails, err == nil && c.fails != "":
			t.Errorf("%s as %v:\ngot  %v\nwant %s", c.who.Username, c.wanted, err, c.fails)
		case err == nil && (got.Username != c.wanted.Username || !slices.Equal(got.Groups, c.groups)):
			t.Errorf("%s as %v: got %v, want groups %q", c.who.Username, c.wanted, got, c.groups)
		}
	}
}

// Nobody gives away what he does not have.
// Upstream: pkg/registry/rbac/role/policybased/storage_test.go and those beside it.
func TestConfirmNoEscalation(t *testing.T) {
	z := authorizer()
	role := func(rules string) api.Object { return Read("Role shop/new\n" + rules)[0] }
	bind := func(line string) api.Object { return Read(line)[0] }
	for _, c := range []struct {
		user     *User
		obj, old api.Object
		want     string
	}{
		{user: NewUser("ann"), obj: role(`create apps deployments`)},
		{user: NewUser("ann"), obj: role("create,get,list apps deployments\nget \"\" secrets"), want: `roles.rbac.authorization.k8s.io "new" is forbidden: ` +
			`user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}
{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`},
		{user: NewUser("root"), obj: role(`* * *`)},
		{user: NewUser("x", SystemPrivilegedGroup), obj: role(`* * *`)},
		{user: NewUser("ann"), obj: role(`get "" secrets`), old: role(`get "" secrets`)}, // only its finalizers change
		{user: NewUser("ann"), obj: bind("RoleBinding shop/b Role:editor User:eve")},
		{user: NewUser("ann"), obj: bind("RoleBinding shop/b ClusterRole:reader User:eve"), want: `rolebindings.rbac.authorization.k8s.io "b" is forbidden: ` +
			`user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["get" "list" "watch"]}
{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "list" "watch"]}`},
		{user: NewUser("ann"), obj: bind("RoleBinding shop/b Role:nosuch User:eve"), want: `role.rbac.authorization.k8s.io "nosuch" not found`},
		{user: NewUser("lost"), obj: bind("ClusterRoleBinding b ClusterRole:paths User:eve"),
			want: `clusterrolebindings.rbac.authorization.k8s.io "b" is forbidden: ` +
				`user "lost" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{NonResourceURLs:["/healthz"], Verbs:["get"]}
{NonResourceURLs:["/logs/*"], Verbs:["get"]}; resolution errors: [[role.rbac.authorization.k8s.io "nosuch" not found, clusterrole.rbac.authorization.k8s.io "nosuch" not found]]`},
		{user: NewUser("sam"), obj: bind("ClusterRole all from=x"),
			want: `clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule`},
		{user: NewUser("root"), obj: bind("ClusterRole all from=x")},
	} {
		a := &Attributes{User: c.user, Namespace: c.obj.GetNamespace(),
			Request: policyrule.Request{Verb: "create", Group: rbacv1.GroupName, Resource: api.KindOf(c.obj).Resource}}
		if c.user.Username == "lost" {
			a.Namespace = "shop" // where what is bound to him is missing
		}
		got := ""
		if err := z.ConfirmNoEscalation(a, c.obj, c.old); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.user.Username, c.obj.GetName(), got, c.want)
		}
	}
}
