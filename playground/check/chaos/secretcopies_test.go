package chaos

import (
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// What is said of copies that are missing, stale, unasked for and orphaned, and of none of the others.
func TestSecretCopies(t *testing.T) {
	secret := func(namespace, name, password, to, mark string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: map[string]string{copyTo: to},
			Labels: map[string]string{copyMark: mark}}, Data: map[string][]byte{"password": []byte(password)}}
	}
	namespace := func(name string, labels map[string]string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	for _, test := range []struct {
		secrets []*corev1.Secret
		want    string
	}{
		{[]*corev1.Secret{secret(copySources, "db", "a", "tier", ""), secret("shop", "db", "a", "", copier)}, ""},
		{[]*corev1.Secret{secret(copySources, "db", "a", "tier", ""), secret("shop", "db", "b", "", "")}, ""},
		{[]*corev1.Secret{secret(copySources, "db", "a", "tier in (", "")}, ""},
		{[]*corev1.Secret{secret(copySources, "db", "a", "tier", "")}, "has no copy in shop"},
		{[]*corev1.Secret{secret(copySources, "db", "a", "tier", ""), secret("shop", "db", "b", "", copier)}, "is not like it"},
		{[]*corev1.Secret{secret(copySources, "db", "a", "", ""), secret("shop", "db", "a", "", copier)}, "which it does not select"},
		{[]*corev1.Secret{secret("shop", "db", "a", "", copier)}, "there is no source"},
	} {
		s := trace.State{
			{Kind: trace.CellComponent, Owner: copier}:                      "running",
			{Kind: trace.CellObject, Owner: "namespaces", Key: "shop"}:      namespace("shop", map[string]string{"tier": "front"}),
			{Kind: trace.CellObject, Owner: "namespaces", Key: copySources}: namespace(copySources, map[string]string{"tier": "x"}),
			{Kind: trace.CellObject, Owner: "namespaces", Key: "other"}:     namespace("other", nil),
		}
		for _, o := range test.secrets {
			s[trace.Cell{Kind: trace.CellObject, Owner: "secrets", Key: o.Namespace + "/" + o.Name}] = o
		}
		var said []string
		secretCopiesUnsettled(s, into(&said))
		if got := strings.Join(said, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("it says %q, want %q", got, test.want)
		}
	}
}
