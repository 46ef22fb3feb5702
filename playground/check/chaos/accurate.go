package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// As operator/accurate has them.
const (
	tree          = "accurate-controller"
	treeParent    = "accurate.cybozu.com/parent"
	treeFrom      = "accurate.cybozu.com/from"
	treePropagate = "accurate.cybozu.com/propagate"
	subNamespaces = "subnamespaces.accurate.cybozu.com"
)

func init() {
	register(&ingredient{name: "Accurate", controllers: []string{"namespace-controller"}, prepare: (*dice).accurateRoot, act: (*dice).accurate,
		unsettled: accurateUnsettled})
}

// accurateRoot installs Accurate and a team's first namespace.
func (d *dice) accurateRoot(cfg *cluster.Config) {
	cfg.Operators, cfg.StartLater = append(cfg.Operators, tree), append(cfg.StartLater, tree)
	hook := func(kind, name, path, group, version, operations, resource string) string {
		return fmt.Sprintf(`
- apiVersion: admissionregistration.k8s.io/v1
  kind: %sWebhookConfiguration
  metadata: {name: %s}
  webhooks:
  - name: %[2]s
    clientConfig: {url: "https://accurate-controller:9443/%[3]s"}
    admissionReviewVersions: [v1]
    sideEffects: None
    rules: [{apiGroups: ["%[4]s"], apiVersions: [%[5]s], operations: [%[6]s], resources: [%[7]s]}]
`, kind, name, path, group, version, operations, resource)
	}
	const group = "accurate.cybozu.com"
	d.install(installAt, "apiVersion: v1\nkind: List\nitems:"+definition(group, "v2", "SubNamespace", ""))
	d.add(cluster.Input{At: 2 * time.Second, Kind: cluster.Start, Component: tree})
	d.install(4*time.Second, "apiVersion: v1\nkind: List\nitems:"+
		hook("Mutating", "subnamespace.accurate.cybozu.io", "mutate-accurate-cybozu-com-v2-subnamespace", group, "v2", "CREATE, UPDATE", "subnamespaces")+
		hook("Validating", "vsubnamespace.kb.io", "validate-accurate-cybozu-com-v2-subnamespace", group, "v2", "CREATE, DELETE", "subnamespaces")+
		hook("Validating", "namespace.accurate.cybozu.io", "validate-v1-namespace", "", "v1", "CREATE, UPDATE, DELETE", "namespaces"))
	d.install(6*time.Second, `
apiVersion: v1
kind: Namespace
metadata: {name: team, labels: {accurate.cybozu.com/type: root, team: a}}
`)
}

// accurate grows the tree and cuts it, and changes what is propagated, at its source and where it arrives.
func (d *dice) accurate(at time.Duration) {
	sub := [][2]string{{"team", "team-web"}, {"team", "team-db"}, {"team-web", "team-web-test"}, {"team-db", "team-web-test"}}[d.IntN(4)]
	secret := fmt.Sprint("pull-", d.IntN(2))
	where := []string{"team", "team", "team-web", "team-db", "team-web-test"}[d.IntN(5)]
	secrets := func(mode string) {
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": where, "name": secret,
			"annotations": map[string]any{treePropagate: mode}}, "stringData": map[string]any{"token": fmt.Sprint(d.IntN(5))}})
	}
	if d.once("the tree") { // so that what follows meets somebody
		sub, where = [2]string{"team", "team-web"}, "team"
		secrets("update")
	}
	switch n := d.IntN(15); {
	case n < 4 || d.once("its first branch"):
		d.apply(at, map[string]any{"apiVersion": "accurate.cybozu.com/v2", "kind": "SubNamespace", "metadata": map[string]any{"namespace": sub[0], "name": sub[1]}})
	case n == 4:
		d.kubectl(at, "delete", subNamespaces, sub[1], "-n", sub[0], "--wait=false")
	case n == 5 || n > 11: // its SubNamespace is to make it again, when it is gone
		d.kubectl(at, "delete", "namespace", sub[1], "--wait=false")
	case n == 6:
		d.kubectl(at, "delete", "secret", secret, "-n", where, "--wait=false")
	case n == 7:
		d.kubectl(at, "label", "namespace", "team", "--overwrite", "team="+[]string{"a", "b"}[d.IntN(2)])
	case n == 8:
		d.kubectl(at, "annotate", "secret", secret, "-n", where, treePropagate+"-")
	default:
		secrets([]string{"update", "update", "create"}[d.IntN(3)])
	}
}

// accurateUnsettled: a SubNamespace has its namespace, or says that it is another's; a namespace has the labels of the one above and what is propagated there,
// as it is there, and no copy whose source is gone.
func accurateUnsettled(s trace.State, say sayer) {
	if !runs(s, tree) {
		return
	}
	namespaces, secrets := map[string]*corev1.Namespace{}, map[string]*corev1.Secret{}
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Namespace:
			namespaces[o.Name] = o
		case *corev1.Secret:
			secrets[c.Key] = o
		}
	}
	for key, sn := range customs(s, subNamespaces) { // order: the sentences are sorted
		ns := namespaces[sn.Name]
		conditions, _ := field(sn, "status", "conditions").([]any)
		switch mine := ns != nil && ns.Labels[treeParent] == sn.Namespace; {
		case sn.DeletionTimestamp != nil:
			say("subnamespace %s is to go", key)
		case ns == nil || ns.DeletionTimestamp != nil:
			say("subnamespace %s has no namespace", key)
		case mine == (len(conditions) > 0):
			say("subnamespace %s says %v, and the namespace is below %q", key, conditions, ns.Labels[treeParent])
		}
	}
	for _, ns := range namespaces { // order: the sentences are sorted
		above := namespaces[ns.Labels[treeParent]]
		switch {
		case ns.Labels[treeParent] == "" || ns.DeletionTimestamp != nil:
			continue
		case above == nil:
			say("namespace %s is below %s, which is not there", ns.Name, ns.Labels[treeParent])
			continue
		case ns.Labels["team"] != above.Labels["team"]:
			say("namespace %s is of team %q, and the one above of %q", ns.Name, ns.Labels["team"], above.Labels["team"])
		}
		propagatedUnsettled(ns.Name, above.Name, secrets, say)
	}
}

// propagatedUnsettled looks at the Secrets of a namespace and of the one above.
func propagatedUnsettled(namespace, above string, secrets map[string]*corev1.Secret, say sayer) {
	for key, o := range secrets { // order: the sentences are sorted
		mode := o.Annotations[treePropagate]
		switch there := secrets[namespace+"/"+o.Name]; {
		case o.Namespace == above && mode != "" && there == nil:
			say("secret %s is not propagated to %s", key, namespace)
		case o.Namespace == above && mode == "update" && !api.SemanticDeepEqual(there.Data, o.Data):
			say("secret %s is not the same in %s", key, namespace)
		}
		if from := o.Annotations[treeFrom]; o.Namespace == namespace && from != "" && mode == "update" && secrets[from+"/"+o.Name] == nil {
			say("secret %s is a copy, and there is no source", key)
		}
	}
}
