package cluster

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// authorized runs command lines a second apart in a cluster that asks who may do what, and returns what became of them.
func authorized(t *testing.T, change func(*Config), lines ...string) (*Cluster, []Outcome) {
	t.Helper()
	config := DefaultConfig()
	config.Authorization = RBAC
	if change != nil {
		change(&config)
	}
	c := New(config, 1)
	t.Cleanup(c.Close)
	const start = 15 * time.Second
	for i, line := range lines {
		args, err := ParseCommand(line)
		if err != nil {
			t.Fatalf("$ %s: %v", line, err)
		}
		if err := c.Schedule(Input{At: start + time.Duration(i)*time.Second, Kind: Command, Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	c.RunUntil(start + time.Duration(len(lines)+60)*time.Second)
	return c, c.Outcomes()
}

// All components together do their work with the roles that they have, and not with all of them.
func TestNoComponentIsRefused(t *testing.T) {
	c, outcomes := authorized(t, func(c *Config) {
		c.Network, c.Ingress, c.NetworkPolicies, c.Cloud, c.Metrics, c.LeaderElect = true, true, true, true, true, true
	},
		"create deployment web --image=nginx --replicas=3", "expose deployment web --port=80 --type=LoadBalancer",
		"create job once --image=busybox -- echo hello", "create cronjob often --image=busybox --schedule='* * * * *' -- echo hello",
		"scale deployment web --replicas=5", "create namespace shop", "delete namespace shop", "delete pod -l app=web", "delete node node-3",
		"create quota q --hard=pods=100", "autoscale deployment web --min=1 --max=3 --cpu=50%", "create pdb b --selector=app=web --min-available=1")
	for _, o := range outcomes {
		if o.Error != "" {
			t.Errorf("$ %s: %s", strings.Join(o.Input.Args, " "), o.Error)
		}
	}
	allowed := 0
	for _, e := range c.Trace().Events(1) {
		if e.Op != trace.RequestReply {
			continue
		}
		allowed++
		// A kubelet that looks once more after a Pod that is gone hears the same as from the real server.
		gone := strings.Contains(e.Text("message"), "no relationship found between node") && e.Object.Resource == "pods"
		if e.Text("phase") == trace.PhaseAuthorization && !gone {
			t.Errorf("%v: %s", e.At, e.Text("message"))
		}
	}
	if allowed < 1000 {
		t.Errorf("only %d requests were answered", allowed)
	}
}

// What kubectl prints, word for word. Each line is tried a second after the one before.
func TestKubectlInAClusterWithRoles(t *testing.T) {
	const robot = " --as system:serviceaccount:default:robot"
	lines := []struct{ line, out, err string }{
		{line: "auth whoami", out: "ATTRIBUTE   VALUE\nUsername    kubernetes-admin\nGroups      [system:masters system:authenticated]"},
		{line: "auth whoami --as ann --as-group developers", out: "ATTRIBUTE   VALUE\nUsername    ann\nGroups      [developers system:authenticated]"},
		{line: "get pods" + robot,
			err: `Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"`},
		{line: "auth can-i list pods" + robot, out: "no", err: "exit status 1"},
		{line: "auth can-i list pods", out: "yes"},
		{line: "create role pod-reader --verb=get,list,watch --resource=pods,pods/log", out: "role.rbac.authorization.k8s.io/pod-reader created"},
		{line: "create rolebinding readers --role=pod-reader --serviceaccount=default:robot", out: "rolebinding.rbac.authorization.k8s.io/readers created"},
		{line: "get pods" + robot, err: "No resources found in default namespace."},
		{line: "auth can-i get pods --subresource=log" + robot, out: "yes"},
		{line: "auth can-i list nodes" + robot, out: "no", err: "Warning: resource 'nodes' is not namespace scoped"},
		{line: "delete pod x" + robot, err: `Error from server (Forbidden): pods "x" is forbidden: User "system:serviceaccount:default:robot" ` +
			`cannot delete resource "pods" in API group "" in the namespace "default"`},
		{line: "get pods -n kube-system" + robot, err: `Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:default:robot" ` +
			`cannot list resource "pods" in API group "" in the namespace "kube-system"`},
		{line: "get namespace default" + robot, err: `Error from server (Forbidden): namespaces "default" is forbidden: User "system:serviceaccount:default:robot" ` +
			`cannot get resource "namespaces" in API group "" in the namespace "default"`},
		{line: "create rolebinding ann --clusterrole=edit --user=ann", out: "rolebinding.rbac.authorization.k8s.io/ann created"},
		{line: "create configmap c --from-literal=a=b --as ann", out: "configmap/c created"},
		{line: "create role x --verb=get --resource=pods --as ann", err: `Error from server (Forbidden): roles.rbac.authorization.k8s.io is forbidden: ` +
			`User "ann" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "default"`},
		{line: "create rolebinding bob --clusterrole=admin --user=bob", out: "rolebinding.rbac.authorization.k8s.io/bob created"},
		{line: "create role x --verb=get --resource=pods --as bob", out: "role.rbac.authorization.k8s.io/x created"},
		{line: "create role y --verb=get --resource=nodes --as bob", err: `Error from server (Forbidden): roles.rbac.authorization.k8s.io "y" is forbidden: ` +
			"user \"bob\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n" +
			`{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}`},
		{line: "create rolebinding me --clusterrole=cluster-admin --user=bob --as bob", err: `error: failed to create rolebinding: ` +
			`rolebindings.rbac.authorization.k8s.io "me" is forbidden: user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions ` +
			"not currently held:\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"},
		{line: "auth can-i --list" + robot, out: `Resources                                       Non-Resource URLs                      Resource Names   Verbs
selfsubjectreviews.authentication.k8s.io        []                                     []               [create]
selfsubjectaccessreviews.authorization.k8s.io   []                                     []               [create]
selfsubjectrulesreviews.authorization.k8s.io    []                                     []               [create]
pods/log                                        []                                     []               [get list watch]
pods                                            []                                     []               [get list watch]
                                                [/.well-known/openid-configuration/]   []               [get]
                                                [/.well-known/openid-configuration]    []               [get]
                                                [/api/*]                               []               [get]
                                                [/api]                                 []               [get]
                                                [/apis/*]                              []               [get]
                                                [/apis]                                []               [get]
                                                [/healthz]                             []               [get]
                                                [/healthz]                             []               [get]
                                                [/livez]                               []               [get]
                                                [/livez]                               []               [get]
                                                [/openapi/*]                           []               [get]
                                                [/openapi]                             []               [get]
                                                [/openid/v1/jwks/]                     []               [get]
                                                [/openid/v1/jwks]                      []               [get]
                                                [/readyz]                              []               [get]
                                                [/readyz]                              []               [get]
                                                [/version/]                            []               [get]
                                                [/version/]                            []               [get]
                                                [/version]                             []               [get]
                                                [/version]                             []               [get]`},
		{line: "describe role pod-reader", out: `Name:         pod-reader
Labels:       <none>
Annotations:  <none>
PolicyRule:
  Resources  Non-Resource URLs  Resource Names  Verbs
  ---------  -----------------  --------------  -----
  pods/log   []                 []              [get list watch]
  pods       []                 []              [get list watch]`},
		{line: "describe rolebinding readers", out: `Name:         readers
Labels:       <none>
Annotations:  <none>
Role:
  Kind:  Role
  Name:  pod-reader
Subjects:
  Kind            Name   Namespace
  ----            ----   ---------
  ServiceAccount  robot  default`},
		{line: "create role", err: "error: exactly one NAME is required, got 0\nSee 'kubectl create role -h' for help and examples"},
		{line: "create role r --verb=get", err: "error: at least one resource must be specified"},
		{line: "create role r --verb=get --resource=nosuch", err: `the server doesn't have a resource type "nosuch"`},
		{line: "create role r --verb=bind --resource=pods", err: "error: can not perform 'bind' on 'pods' in group ''"},
		{line: "create rolebinding r", err: "error: exactly one of clusterrole or role must be specified"},
		{line: "create rolebinding r --role=x --serviceaccount=robot", err: "error: serviceaccount must be <namespace>:<name>"},
		{line: "create clusterrole r --verb=get", err: "error: one of resource or nonResourceURL must be specified"},
		{line: "create clusterrole r --verb=list --non-resource-url=/x", err: "error: invalid verb: 'list' for nonResourceURL"},
		{line: "create clusterrole r --verb=get --non-resource-url=/logs/*", out: "clusterrole.rbac.authorization.k8s.io/r created"},
		{line: "create clusterrolebinding r", err: `error: required flag(s) "clusterrole" not set`},
		{line: "create clusterrolebinding r --clusterrole=r --group=readers", out: "clusterrolebinding.rbac.authorization.k8s.io/r created"},
		{line: "auth can-i get /logs/x --as eve --as-group readers", out: "yes"},
		{line: "auth can-i get /logs/x --as eve", out: "no", err: "exit status 1"},
		{line: "get nodes --as-group g", err: "error: requesting uid, groups or user-extra for kubernetes-admin without impersonating a user"},
		{line: "delete rolebinding readers", out: `rolebinding.rbac.authorization.k8s.io "readers" deleted from default namespace`},
		{line: "auth can-i list pods" + robot, out: "no", err: "exit status 1"},
	}
	var commands []string
	for _, l := range lines {
		commands = append(commands, l.line)
	}
	_, outcomes := authorized(t, nil, commands...)
	for i, o := range outcomes {
		if got := o.Error + o.Warning; o.Output != lines[i].out || !strings.HasPrefix(got, lines[i].err) || (lines[i].err == "") != (got == "") {
			t.Errorf("$ %s\nprints %s\n%s\nwant   %s\n%s", lines[i].line, o.Output, got, lines[i].out, lines[i].err)
		}
	}
}

// An operator has a ServiceAccount of its own in the namespace default, and no role until somebody gives it one.
func TestOperatorsHaveAServiceAccount(t *testing.T) {
	for _, name := range OperatorNames {
		if operatorIsGuest(name) { // it has its Pod's: TestShellOperatorMayLittle
			continue
		}
		account := "system:serviceaccount:default:" + name
		if name == ControlPlaneProvider || slices.Contains(ClusterAPI[1:], name) { // these read kinds alone that nobody defines here
			continue
		}
		c, _ := authorized(t, func(c *Config) { c.Operators = []string{name} },
			"create clusterrolebinding all --clusterrole=cluster-admin --serviceaccount=default:"+name)
		var refused, listed bool
		for _, e := range c.Trace().Events(1) {
			if e.Component != name {
				continue
			}
			refused = refused || !listed && strings.Contains(e.Text("error"), `User "`+account+`" cannot list resource`)
			listed = listed || e.Op == trace.CacheReplace
		}
		if !refused || !listed {
			t.Errorf("%s: refused at first: %v, then allowed: %v", name, refused, listed)
		}
	}
}
