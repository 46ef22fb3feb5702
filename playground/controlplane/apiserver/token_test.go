package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TestTokenReviews: a token of a service account is good as long as it says, for its audiences, and while its Pod lives.
func TestTokenReviews(t *testing.T) {
	w := newWorld(t, trace.Off)
	accounts := api.Resolve("serviceaccounts").GroupVersionResource()
	issue := func(p *sim.Proc, spec string) string {
		t.Helper()
		return w.must(p, &client.Request{Verb: client.Create, Resource: accounts, Namespace: "default", Name: "robot", Subresource: "token",
			Body: []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":` + spec + `}`)}).(*authenticationv1.TokenRequest).Status.Token
	}
	ask := func(p *sim.Proc, token, audiences string) string {
		t.Helper()
		s := w.must(p, &client.Request{Verb: client.Create, Resource: api.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "tokenreviews"},
			Body: []byte(fmt.Sprintf(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":%q,"audiences":[%s]}}`, token, audiences))}).(*authenticationv1.TokenReview).Status
		if !s.Authenticated {
			return s.Error
		}
		return fmt.Sprint(s.User.Username, " ", s.User.Groups, " ", len(s.User.Extra), " ", s.User.Extra["authentication.kubernetes.io/pod-name"], " ", s.Audiences)
	}
	const groups = "[system:serviceaccounts system:serviceaccounts:default system:authenticated]"
	w.run(func(p *sim.Proc) {
		w.must(p, post("serviceaccounts", `{"metadata":{"name":"robot"}}`))
		w.must(p, post("pods", `{"metadata":{"name":"a"},"spec":{"serviceAccountName":"robot","containers":[{"name":"a","image":"x"}]}}`))
		plain, bound := issue(p, `{"expirationSeconds":600}`), issue(p, `{"audiences":["vault"],"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"a"}}`)
		expect(t, "one", ask(p, plain, ""), "system:serviceaccount:default:robot "+groups+" 1 [] [https://kubernetes.default.svc.cluster.local]")
		expect(t, "bound", ask(p, bound, `"vault","other"`), "system:serviceaccount:default:robot "+groups+" 3 [a] [vault]")
		expect(t, "for others", ask(p, bound, ""),
			`[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc.cluster.local"]]`)
		expect(t, "nonsense", ask(p, "a.b.c", ""), "invalid bearer token")
		body := strings.Split(plain, ".")
		expect(t, "forged", ask(p, body[0]+"."+strings.Split(bound, ".")[1]+"."+body[2], `"vault"`), "invalid bearer token")
		w.must(p, remove(podsResource, "a", metav1.DeleteOptions{}))
		expect(t, "Pod is gone", ask(p, bound, `"vault"`), "[invalid bearer token, service account token has been invalidated]")
		p.Sleep(12 * time.Minute)
		expect(t, "old", ask(p, plain, ""), "[invalid bearer token, service account token has expired]")
		plain = issue(p, `{}`)
		w.must(p, remove(accounts, "robot", metav1.DeleteOptions{}))
		expect(t, "account is gone", ask(p, plain, ""), `[invalid bearer token, serviceaccounts "robot" not found]`)
	})
}
