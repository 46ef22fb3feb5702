package cluster

import (
	"strings"
	"testing"
	"time"

	_ "kubewalk/playground/controlplane/apiserver/cel/evaluator"
)

// Who writes a policy or a binding has to be allowed to read its parameters.
// Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go and validatingadmissionpolicybinding/authz.go.
func TestParametersOfPolicies(t *testing.T) {
	config := DefaultConfig()
	config.Authorization, config.CEL = RBAC, true
	c := New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(15 * time.Second)
	policy := func(kind, api string) string {
		return `{"kind":"ValidatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"p"},"spec":{` +
			`"paramKind":{"apiVersion":"` + api + `","kind":"` + kind + `"},"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],` +
			`"operations":["CREATE"],"resources":["pods"]}]},"validations":[{"expression":"true"}]}}`
	}
	binding := func(policy, ref string) string {
		return `{"kind":"ValidatingAdmissionPolicyBinding","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"b"},"spec":{` +
			`"policyName":"` + policy + `","validationActions":["Deny"],"paramRef":{` + ref + `,"parameterNotFoundAction":"Deny"}}}`
	}
	const user = "user &{ann  [system:authenticated] map[]} "
	refused := func(kind, name, field, text string) string {
		return `The ` + kind + ` "` + name + `" is invalid: spec.` + field + `: Forbidden: ` + text
	}
	for _, test := range []struct{ line, manifest, want string }{
		{"create clusterrole writer --verb=create,update,patch,get,delete --resource=validatingadmissionpolicies,validatingadmissionpolicybindings", "", ""},
		{"create clusterrolebinding writers --clusterrole=writer --user=ann", "", ""},
		{"create -f p.yaml --as ann", policy("ConfigMap", "v1"), refused("ValidatingAdmissionPolicy", "p", "paramKind",
			user+`must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`)},
		{"create clusterrole maps --verb=get --resource=configmaps", "", ""},
		{"create clusterrolebinding maps --clusterrole=maps --user=ann", "", ""},
		{"create -f p.yaml --as ann", policy("ConfigMap", "v1"), ""},
		{"label validatingadmissionpolicy p a=b --as ann", "", ""},
		{"replace -f p.yaml --as ann", policy("Secret", "v1"), refused("ValidatingAdmissionPolicy", "p", "paramKind",
			user+`must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`)},
		{"create -f b.yaml --as ann", binding("p", `"name":"c","namespace":"default"`), ""},
		{"delete validatingadmissionpolicybinding b --as ann", "", ""},
		{"create -f b.yaml --as ann", binding("p", `"selector":{}`), refused("ValidatingAdmissionPolicyBinding", "b", "paramRef",
			user+`does not have "list" permission on the object referenced by paramRef`)},
		{"create -f b.yaml --as ann", binding("nobody", `"name":"c"`), refused("ValidatingAdmissionPolicyBinding", "b", "paramRef",
			`unable to get policy nobody to determine minimum required permissions and `+user+`does not have "get" permission for all groups, versions and resources`)},
		// Members of system:masters are not asked.
		{"create -f b.yaml", binding("nobody", `"name":"c"`), ""},
		{"replace -f p.yaml", policy("Nothing", "example.com/v1"), ""},
		{"delete validatingadmissionpolicybinding b", "", ""},
		{"create -f b.yaml --as ann", binding("p", `"name":"c"`), refused("ValidatingAdmissionPolicyBinding", "b", "paramRef",
			`unable to resolve paramKind &{example.com/v1 Nothing} to determine minimum required permissions and `+user+
				`does not have "get" permission for all groups, versions and resources`)},
	} {
		args, err := ParseCommand(test.line)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.Outcomes())
		if err := c.Schedule(Input{At: c.Elapsed() + time.Second, Kind: Command, Args: args, Manifest: []byte(test.manifest)}); err != nil {
			t.Fatal(err)
		}
		c.RunUntil(c.Elapsed() + 5*time.Second)
		if got := strings.TrimSpace(c.Outcomes()[n].Error); got != test.want {
			t.Errorf("$ %s\ngot  %s\nwant %s", test.line, got, test.want)
		}
	}
}
