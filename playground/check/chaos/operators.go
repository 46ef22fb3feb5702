package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// As operator/samplecontroller, operator/kubebuilder, operator/teams and operator/shelloperator have them.
const (
	fooOperator, foos         = "sample-controller", "foos.samplecontroller.k8s.io"
	websiteOperator, websites = "website-operator", "websites.web.example.com"
	teamsOperator             = "teams-operator"
	hookOperator              = "shell-operator"
	websiteDirectory          = "websites"
)

func init() {
	register(&ingredient{name: "Foos", controllers: []string{"deployment-controller"}, prepare: (*dice).fooKind, act: (*dice).foos,
		unsettled: foosUnsettled, apart: true})
	register(&ingredient{name: "Websites", controllers: []string{"deployment-controller"}, prepare: (*dice).websiteKind, act: (*dice).websites,
		unsettled: websitesUnsettled, apart: true})
	register(&ingredient{name: "namespaces of teams", controllers: []string{"namespace-controller", "service-account-controller", "resourcequota-controller"},
		prepare: func(_ *dice, cfg *cluster.Config) { cfg.Operators = append(cfg.Operators, teamsOperator) },
		act:     (*dice).teams, unsettled: teamsUnsettled, apart: true})
	register(&ingredient{name: "a hook", controllers: []string{"deployment-controller", "namespace-controller"}, prepare: (*dice).hook, act: (*dice).crews,
		unsettled: crewsUnsettled, apart: true})
}

// fooKind installs the kind, and then the program, which waits for it without end.
func (d *dice) fooKind(cfg *cluster.Config) {
	cfg.Operators = append(cfg.Operators, fooOperator)
	d.install(installAt, "apiVersion: v1\nkind: List\nitems:"+definition("samplecontroller.k8s.io", "v1alpha1", "Foo", ""))
}

// foos make Foos and change them, and do to their Deployments what only Foos should.
func (d *dice) foos(at time.Duration) {
	name := fmt.Sprint("foo-", d.IntN(3))
	switch d.IntN(8) {
	case 0, 1, 2, 3:
		d.apply(at, map[string]any{"apiVersion": "samplecontroller.k8s.io/v1alpha1", "kind": "Foo", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"deploymentName": name, "replicas": 1 + d.IntN(3)}})
	case 4, 5:
		d.kubectl(at, "scale", "deployment", name, fmt.Sprint("--replicas=", d.IntN(5)))
	case 6:
		d.kubectl(at, "delete", "deployment", name, "--wait=false")
	default:
		d.kubectl(at, "delete", foos, name, "--wait=false")
	}
}

// foosUnsettled: each Foo has its Deployment, as large as it says.
func foosUnsettled(s trace.State, say sayer) {
	if runs(s, fooOperator) {
		withDeployments(s, foos, say)
	}
}

// withDeployments says which objects of a kind have no Deployment of their name and with their number of replicas.
func withDeployments(s trace.State, resource string, say sayer) {
	deployments := map[string]*appsv1.Deployment{}
	for _, c := range s.Cells(trace.CellObject) {
		if o, ok := s[c].(*appsv1.Deployment); ok {
			deployments[c.Key] = o
		}
	}
	for key, o := range customs(s, resource) { // order: the sentences are sorted
		want := field(o, "spec", "replicas")
		switch deployment := deployments[key]; {
		case o.DeletionTimestamp != nil:
			say("%s %s is to go", resource, key)
		case deployment == nil:
			say("%s %s has no deployment", resource, key)
		case !metav1.IsControlledBy(deployment, o):
			say("%s %s does not own its deployment", resource, key)
		case fmt.Sprint(want) != fmt.Sprint(*deployment.Spec.Replicas):
			say("%s %s asks for %v replicas, its deployment for %d", resource, key, want, *deployment.Spec.Replicas)
		}
	}
}

func (d *dice) websiteKind(cfg *cluster.Config) {
	cfg.Operators = append(cfg.Operators, websiteOperator)
	d.install(installAt, "apiVersion: v1\nkind: List\nitems:"+definition("web.example.com", "v1", "Website", ""))
}

// websites make Websites, change and delete them, and do to what they own what only Websites should.
func (d *dice) websites(at time.Duration) {
	name := fmt.Sprint("site-", d.IntN(3))
	switch d.IntN(9) {
	case 0, 1, 2, 3:
		d.apply(at, map[string]any{"apiVersion": "web.example.com/v1", "kind": "Website", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"image": "nginx:1.27", "host": fmt.Sprint(d.IntN(3), ".example.com"), "replicas": 1 + d.IntN(3)}})
	case 4:
		d.kubectl(at, "scale", "deployment", name, fmt.Sprint("--replicas=", d.IntN(5)))
	case 5:
		d.kubectl(at, "delete", "deployment", name, "--wait=false")
	case 6:
		d.kubectl(at, "delete", "service", name, "--wait=false")
	default:
		d.kubectl(at, "delete", websites, name, "--wait=false")
	}
}

// websitesUnsettled: each Website has its Deployment, its Service and its line in the directory, and nobody else has a line.
func websitesUnsettled(s trace.State, say sayer) {
	if !runs(s, websiteOperator) {
		return
	}
	withDeployments(s, websites, say)
	directory, services := &corev1.ConfigMap{}, map[string]bool{}
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.ConfigMap:
			if o.Namespace == "default" && o.Name == websiteDirectory {
				directory = o
			}
		case *corev1.Service:
			services[c.Key] = true
		}
	}
	all := customs(s, websites)
	for name := range directory.Data { // order: the sentences are sorted
		if all["default/"+name] == nil {
			say("the directory has a line for %s, which is gone", name)
		}
	}
	for key, o := range all { // order: the sentences are sorted
		if !services[key] {
			say("website %s has no service", key)
		}
		if host := field(o, "spec", "host"); directory.Data[o.Name] != host {
			say("website %s has the host %v, and its line says %q", key, host, directory.Data[o.Name])
		}
	}
}

// teams make and delete namespaces of teams, and the quotas in them.
func (d *dice) teams(at time.Duration) {
	name := fmt.Sprint("team-", d.IntN(4))
	switch n := d.IntN(5); {
	case d.once("namespaces/"+name) || n == 0:
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name, "labels": map[string]any{"kind": "team"}}})
	case n == 1:
		d.applied["namespaces/"+name] = false
		d.kubectl(at, "delete", "namespace", name, "--wait=false")
	default: // nothing but its own event tells the owner, which has no namespace, of what is gone
		d.kubectl(at, "delete", "quota", "team", "-n", name, "--wait=false")
	}
}

// teamsUnsettled: each namespace of a team has its quota and, where there is an account, its label.
func teamsUnsettled(s trace.State, say sayer) {
	if !runs(s, teamsOperator) {
		return
	}
	var namespaces []*corev1.Namespace
	quotas, accounts := map[string]bool{}, map[string]bool{}
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Namespace:
			if o.Labels["kind"] == "team" && o.DeletionTimestamp == nil {
				namespaces = append(namespaces, o)
			}
		case *corev1.ResourceQuota:
			quotas[c.Key] = true
		case *corev1.ServiceAccount:
			accounts[c.Key] = true
		}
	}
	for _, ns := range namespaces {
		if !quotas[ns.Name+"/team"] {
			say("namespace %s has no quota", ns.Name)
		}
		if accounts[ns.Name+"/default"] && ns.Labels["ready"] != "yes" {
			say("namespace %s is not ready", ns.Name)
		}
	}
}

// hook installs shell-operator, whose hook prepares namespaces.
func (d *dice) hook(cfg *cluster.Config) {
	atLeast(1, cfg)
	cfg.Operators = append(cfg.Operators, hookOperator)
	d.install(4*time.Second, `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ServiceAccount
  metadata: {name: shell-operator, namespace: default}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: hooks, namespace: default}
  data:
    crews.sh: |
      #!/usr/bin/env bash
      set -eo pipefail
      if [[ $1 == "--config" ]]; then
        cat <<EOF
      configVersion: v1
      kubernetes:
      - name: crews
        apiVersion: v1
        kind: Namespace
        labelSelector:
          matchLabels: {kind: crew}
      EOF
        exit 0
      fi

      for ns in $(jq -r '.[] | (.objects // [.])[]
        | .object.metadata.name' $BINDING_CONTEXT_PATH)
      do
        kubectl label namespace $ns ready=yes --overwrite
      done
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: shell-operator, namespace: default}
  spec:
    replicas: 1
    strategy: {type: Recreate}
    selector: {matchLabels: {app: shell-operator}}
    template:
      metadata: {labels: {app: shell-operator}}
      spec:
        serviceAccountName: shell-operator
        containers:
        - name: shell-operator
          image: ghcr.io/flant/shell-operator
          volumeMounts: [{name: hooks, mountPath: /hooks}]
        volumes:
        - name: hooks
          configMap: {name: hooks, defaultMode: 0777}
`)
}

// crews make namespaces. None is deleted: a hook that fails because its object is gone holds up all others for ever.
func (d *dice) crews(at time.Duration) {
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": fmt.Sprint("crew-", d.IntN(9)),
		"labels": map[string]any{"kind": "crew"}}})
}

// crewsUnsettled: where shell-operator runs, its hook has been run for each namespace.
func crewsUnsettled(s trace.State, say sayer) {
	if !runs(s, hookOperator) {
		return
	}
	for _, c := range s.Cells(trace.CellObject) {
		if ns, ok := s[c].(*corev1.Namespace); ok && ns.Labels["kind"] == "crew" && ns.Labels["ready"] != "yes" && ns.DeletionTimestamp == nil {
			say("namespace %s is not ready", ns.Name)
		}
	}
}
