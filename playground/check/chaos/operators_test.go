package chaos

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// What is said of Foos, Websites and namespaces that operators have left undone, and of none of the others.
func TestOperatorsUnsettled(t *testing.T) {
	custom := func(text string) *api.Unstructured {
		o := &api.Unstructured{}
		if err := json.Unmarshal([]byte(text), o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	foo := custom(`{"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"namespace":"default","name":"x","uid":"u"},"spec":{"replicas":2}}`)
	website := custom(`{"apiVersion":"web.example.com/v1","kind":"Website","metadata":{"namespace":"default","name":"x","uid":"u"},
		"spec":{"replicas":2,"host":"x.example.com"}}`)
	yes := true
	deployment := func(replicas int32, uid string) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x",
			OwnerReferences: []metav1.OwnerReference{{Name: "x", UID: "u", Controller: &yes}}[:len(uid)]}, Spec: appsv1.DeploymentSpec{Replicas: &replicas}}
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x"}}
	directory := func(data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: websiteDirectory}, Data: data}
	}
	namespace := func(kind, is string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: map[string]string{"kind": kind, "ready": is}}}
	}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "team"}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "default"}}
	type objects map[string]any
	right := map[string]string{"x": "x.example.com"}
	site := objects{websites + " default/x": website, "deployments default/x": deployment(2, "u"), "services default/x": service,
		"configmaps default/websites": directory(right)}
	without := func(all objects, key string) objects {
		left := maps.Clone(all)
		delete(left, key)
		return left
	}
	team := func(ready string) objects {
		return objects{"namespaces x": namespace("team", ready), "resourcequotas x/team": quota, "serviceaccounts x/default": account}
	}
	for name, test := range map[string]struct {
		operator string
		with     objects
		want     string
	}{
		"a Foo":                     {fooOperator, objects{foos + " default/x": foo, "deployments default/x": deployment(2, "u")}, ""},
		"a Foo without operator":    {"", objects{foos + " default/x": foo}, ""},
		"a Foo without Deployment":  {fooOperator, objects{foos + " default/x": foo}, "has no deployment"},
		"a Deployment without Foo":  {fooOperator, objects{foos + " default/x": foo, "deployments default/x": deployment(2, "")}, "does not own"},
		"a Deployment that grew":    {fooOperator, objects{foos + " default/x": foo, "deployments default/x": deployment(3, "u")}, "asks for 2 replicas"},
		"a Website":                 {websiteOperator, site, ""},
		"a Website without Service": {websiteOperator, without(site, "services default/x"), "has no service"},
		"a Website without line":    {websiteOperator, without(site, "configmaps default/websites"), "its line says"},
		"a line without Website":    {websiteOperator, objects{"configmaps default/websites": directory(right)}, "which is gone"},
		"a team":                    {teamsOperator, team("yes"), ""},
		"a team without account":    {teamsOperator, without(team(""), "serviceaccounts x/default"), ""},
		"a team without quota":      {teamsOperator, without(team("yes"), "resourcequotas x/team"), "has no quota"},
		"a team without label":      {teamsOperator, team(""), "is not ready"},
		"a crew":                    {hookOperator, objects{"namespaces x": namespace("crew", "yes")}, ""},
		"a crew without label":      {hookOperator, objects{"namespaces x": namespace("crew", "")}, "is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			s := trace.State{{Kind: trace.CellComponent, Owner: test.operator}: "running"}
			for key, o := range test.with {
				resource, key, _ := strings.Cut(key, " ")
				s[trace.Cell{Kind: trace.CellObject, Owner: resource, Key: key}] = o
			}
			var said []string
			for _, unsettled := range []func(trace.State, sayer){foosUnsettled, websitesUnsettled, teamsUnsettled, crewsUnsettled} {
				unsettled(s, into(&said))
			}
			slices.Sort(said)
			if got := strings.Join(said, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
