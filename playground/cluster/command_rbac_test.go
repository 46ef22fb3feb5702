package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// dialogue types lines, each with its manifest, and holds what comes back to what is wanted; a trailing * is any ending.
func dialogue(t *testing.T, c *cluster.Cluster, tests []struct{ line, manifest, want string }) {
	t.Helper()
	for _, test := range tests {
		got := typed(t, c, test.line, test.manifest)
		start, any := strings.CutSuffix(test.want, "*")
		if got != test.want && !(any && strings.HasPrefix(got, start)) {
			t.Errorf("$ %s\ngot\n%s\nwant\n%s", test.line, got, test.want)
		}
	}
}

// TestAuthReconcile is what kubectl auth reconcile does with roles and bindings.
// Upstream: kubectl pkg/cmd/auth/reconcile.go; component-helpers/auth/rbac/reconciliation.
func TestAuthReconcile(t *testing.T) {
	const role = `{"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"reader","namespace":"shop"},` +
		`"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":[VERBS]}]}`
	verbs := func(v string) string { return strings.Replace(role, "VERBS", v, 1) }
	const binding = `{"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"readers","namespace":"shop"},` +
		`"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"ROLE"},` +
		`"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"WHO"}]}`
	bound := func(role, who string) string { return strings.NewReplacer("ROLE", role, "WHO", who).Replace(binding) }
	const cluster = `{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"all","labels":{"x":"y"}},` +
		`"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"of":"NAME"}}]}}`
	aggregated := func(name string) string { return strings.Replace(cluster, "NAME", name, 1) }
	const rules, subjects = "-o jsonpath='{.rules[*].verbs}'", "-o jsonpath='{.subjects[*].name}'"
	dialogue(t, up(t), []struct{ line, manifest, want string }{
		{"auth reconcile", "", "! error: must specify one of -f and -k"},
		{"auth reconcile x -f r.yaml", verbs(`"get"`), "! error: no arguments are allowed"},
		{"auth reconcile -f r.yaml --dry-run=server", verbs(`"get"`), "! error: --dry-run=server for command reconcile is not supported yet"},
		{"auth reconcile -f r.yaml --dry-run=client", verbs(`"get"`), "role.rbac.authorization.k8s.io/reader reconciled (dry run)\n" +
			"! \treconciliation required create\n! \tmissing rules added:\n! \t\t{Verbs:[get] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"},
		{"get ns shop -o name", "", `! Error from server (NotFound): namespaces "shop" not found`},
		{"auth reconcile -f r.yaml", verbs(`"get"`), "role.rbac.authorization.k8s.io/reader reconciled\n" +
			"! \treconciliation required create\n! \tmissing rules added:\n! \t\t{Verbs:[get] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"},
		{"get ns shop -o name", "", "namespace/shop"},
		{"auth reconcile -f r.yaml", verbs(`"get"`), "role.rbac.authorization.k8s.io/reader reconciled"},
		{"auth reconcile -f r.yaml", verbs(`"list"`), "role.rbac.authorization.k8s.io/reader reconciled\n" +
			"! \treconciliation required update\n! \tmissing rules added:\n! \t\t{Verbs:[list] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"},
		{"get role reader -n shop " + rules, "", `["get"] ["list"]`},
		{"auth reconcile -f r.yaml --remove-extra-permissions", verbs(`"list"`), "role.rbac.authorization.k8s.io/reader reconciled\n" +
			"! \treconciliation required update\n! \textra rules removed:\n! \t\t{Verbs:[get] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"},
		{"get role reader -n shop " + rules, "", `["list"]`},
		{"annotate role reader -n shop rbac.authorization.kubernetes.io/autoupdate=false", "", "role.rbac.authorization.k8s.io/reader annotated"},
		{"auth reconcile -f r.yaml", verbs(`"watch"`), "role.rbac.authorization.k8s.io/reader reconciled\n" +
			"! \treconciliation required update, but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)\n" +
			"! \tmissing rules added:\n! \t\t{Verbs:[watch] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"},
		{"get role reader -n shop " + rules, "", `["list"]`},

		{"auth reconcile -f b.yaml", bound("reader", "ann"), "rolebinding.rbac.authorization.k8s.io/readers reconciled\n" +
			"! \treconciliation required create\n! \tmissing subjects added:\n! \t\t{Kind:User APIGroup:rbac.authorization.k8s.io Name:ann Namespace:}"},
		{"auth reconcile -f b.yaml", bound("reader", "bob"), "rolebinding.rbac.authorization.k8s.io/readers reconciled\n" +
			"! \treconciliation required update\n! \tmissing subjects added:\n! \t\t{Kind:User APIGroup:rbac.authorization.k8s.io Name:bob Namespace:}"},
		{"get rolebinding readers -n shop " + subjects, "", "ann bob"},
		{"auth reconcile -f b.yaml --remove-extra-subjects", bound("reader", "bob"), "rolebinding.rbac.authorization.k8s.io/readers reconciled\n" +
			"! \treconciliation required update\n! \textra subjects removed:\n! \t\t{Kind:User APIGroup:rbac.authorization.k8s.io Name:ann Namespace:}"},
		{"auth reconcile -f b.yaml", bound("other", "cat"), "rolebinding.rbac.authorization.k8s.io/readers reconciled\n! \treconciliation required recreate"},
		{"get rolebinding readers -n shop -o jsonpath='{.roleRef.name} {.subjects[*].name}'", "", "other cat"},

		{"auth reconcile -f c.yaml", aggregated("a"), "clusterrole.rbac.authorization.k8s.io/all reconciled\n! \treconciliation required create"},
		{"auth reconcile -f c.yaml -o name", aggregated("b"), "clusterrole.rbac.authorization.k8s.io/all\n! \treconciliation required update"},
		{"get clusterrole all -o jsonpath='{.aggregationRule.clusterRoleSelectors[*].matchLabels.of}'", "", "a b"},
		{"auth reconcile -f c.yaml --remove-extra-permissions", aggregated("b"),
			"clusterrole.rbac.authorization.k8s.io/all reconciled\n! \treconciliation required update"},
		{"get clusterrole all -o jsonpath='{.aggregationRule.clusterRoleSelectors[*].matchLabels.of}'", "", "b"},
		// Nothing else is touched, and a role without a namespace cannot be.
		{"auth reconcile -f x.yaml", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}`, ""},
		{"auth reconcile -f r.yaml", strings.Replace(verbs(`"get"`), `,"namespace":"shop"`, "", 1), "! error: resource name may not be empty"},
	})
}

// TestCertificateApprove is kubectl certificate approve and deny. Upstream: kubectl pkg/cmd/certificates/certificates.go.
func TestCertificateApprove(t *testing.T) {
	config := cluster.DefaultConfig()
	config.AllKinds = true
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(12 * time.Second)
	csr := func(name string) string {
		return `{"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","metadata":{"name":"` + name + `"},` +
			`"spec":{"request":"LQ==","signerName":"example.com/s","usages":["client auth"]}}`
	}
	const condition = " -o jsonpath='{.status.conditions[*].type} {.status.conditions[*].reason} {.status.conditions[*].message}'"
	dialogue(t, c, []struct{ line, manifest, want string }{
		{"create -f a.yaml", csr("a"), "certificatesigningrequest.certificates.k8s.io/a created"},
		{"create -f b.yaml", csr("b"), "certificatesigningrequest.certificates.k8s.io/b created"},
		{"certificate approve", "", "! error: one or more CSRs must be specified as <name> or -f <filename>"},
		{"certificate approve nobody", "", `! Error from server (NotFound): certificatesigningrequests.certificates.k8s.io "nobody" not found`},
		{"certificate approve a", "", "certificatesigningrequest.certificates.k8s.io/a approved"},
		{"get csr a" + condition, "", "Approved KubectlApprove This CSR was approved by kubectl certificate approve."},
		{"certificate approve a", "", "certificatesigningrequest.certificates.k8s.io/a approved"},
		{"certificate deny a", "", `! error: certificate signing request "a" is already Approved`},
		{"certificate deny -f b.yaml -o name", csr("b"), "certificatesigningrequest.certificates.k8s.io/b"},
		{"get csr b" + condition, "", "Denied KubectlDeny This CSR was denied by kubectl certificate deny."},
		{"certificate approve -f x.yaml", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default"}}`,
			"! error: can only handle CertificateSigningRequest.certificates.k8s.io objects, got Namespace"},
	})
	dialogue(t, up(t), []struct{ line, manifest, want string }{
		{"certificate approve a", "", `! Error from server (NotFound): certificatesigningrequests.certificates.k8s.io "a" not found`},
	})
}

// TestGoTemplate is -o go-template. Upstream: cli-runtime pkg/printers/template.go. (The templates: api/gotemplate.)
func TestGoTemplate(t *testing.T) {
	dialogue(t, up(t), []struct{ line, manifest, want string }{
		{"create configmap c --from-literal=a=b --from-literal=x=y", "", "configmap/c created"},
		{"create secret generic s --from-literal=a=hello", "", "secret/s created"},
		{`get cm c -o go-template='{{range $k, $v := .data}}{{$k}}={{$v}}{{"\n"}}{{end}}'`, "", "a=b\nx=y"},
		{`get secret s -o go-template='{{.data.a | base64decode}}'`, "", "hello"},
		{`get cm -o go-template='{{range .items}}{{.metadata.name}} {{end}}{{.kind}}'`, "", "c kube-root-ca.crt List"},
		{`get cm c --template='{{len .data}}'`, "", "2"},
		{`get cm c -o jsonpath --template='{.data.a}'`, "", "b"},
		{`get cm c -o template='{{.nothing.more}}'`, "", "<no value>"},
		{`get cm c -o go-template`, "", "! error: template format specified but no template given"},
		{`get cm c -o go-template='{{.data'`, "", `! error: error parsing template {{.data, template: output:1: unclosed action`},
		{`get cm c -o go-template='{{.data.a.b}}'`, "", "Error executing template: template: output:1:7: executing \"output\" at <.data.a.b>: " +
			"can't evaluate field b in type interface {}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{{.data.a.b}}\n" +
			"\traw data was:\n\t\t{\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\",\"x\":\"y\"},\"kind\":\"ConfigMap\"*"},
		{`get cm c --allow-missing-template-keys=false -o go-template='{{.nothing}}'`, "", "Error executing template: template: output:1:2: " +
			"executing \"output\" at <.nothing>: map has no entry for key \"nothing\"*"},
		{`create cm d --dry-run=client -o go-template='{{.kind}}'`, "", "ConfigMap"},
		{`get cm c -o go-template-file=x`, "", "! error: -o go-template-file is absent here: there are no files. go-template, jsonpath and custom-columns take what would stand in one"},
	})
}
