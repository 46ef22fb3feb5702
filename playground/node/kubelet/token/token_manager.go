// Package token asks the API server for the tokens of service accounts that are in Pods' volumes, and for new ones before they
// expire. Upstream: pkg/kubelet/token.
package token

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Upstream: token_manager.go.
const (
	maxTTL    = 24 * time.Hour
	maxJitter = 10 * time.Second
)

// Manager keeps tokens until they are old.
type Manager struct {
	transport client.Transport
	rand      *sim.Rand
	cache     map[key]*authenticationv1.TokenRequest
}

type key struct {
	pod      types.UID
	audience string
	seconds  int64
}

// NewManager returns a manager without tokens.
func NewManager(transport client.Transport, rand *sim.Rand) *Manager {
	return &Manager{transport, rand, map[key]*authenticationv1.TokenRequest{}}
}

// Get returns a token for a Pod's volume. Upstream: token_manager.go GetServiceAccountToken; the request is that of
// pkg/volume/projected/projected.go, collectData.
func (m *Manager) Get(p *sim.Proc, pod *corev1.Pod, source *corev1.ServiceAccountTokenProjection) (string, error) {
	for k, t := range m.cache { // order: the same are deleted
		if expired(p, t) {
			delete(m.cache, k)
		}
	}
	k := key{pod.UID, source.Audience, 60 * 60}
	if source.ExpirationSeconds != nil {
		k.seconds = *source.ExpirationSeconds
	}
	old := m.cache[k]
	if old != nil && !m.requiresRefresh(p, old) {
		return old.Status.Token, nil
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &k.seconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}}}
	api.SetKind(request)
	if source.Audience != "" {
		request.Spec.Audiences = []string{source.Audience}
	}
	name := pod.Spec.ServiceAccountName
	if name == "" {
		name = "default"
	}
	t, err := client.As[*authenticationv1.TokenRequest](m.transport.Do(p, &client.Request{Verb: client.Create, Namespace: pod.Namespace, Name: name,
		Resource: api.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, Subresource: "token", Object: request}))
	switch {
	case err == nil:
		m.cache[k] = t
		return t.Status.Token, nil
	case old == nil:
		return "", fmt.Errorf("failed to fetch token: %v", err)
	}
	p.Logger().Error(err, "Couldn't update token", "pod", pod.Namespace+"/"+pod.Name)
	return old.Status.Token, nil
}

func expired(p *sim.Proc, t *authenticationv1.TokenRequest) bool {
	return p.Time().After(t.Status.ExpirationTimestamp.Time)
}

// requiresRefresh tells whether four fifths of a token's life are over, or a day.
func (m *Manager) requiresRefresh(p *sim.Proc, t *authenticationv1.TokenRequest) bool {
	life := time.Duration(*t.Spec.ExpirationSeconds) * time.Second
	ends, jitter := t.Status.ExpirationTimestamp.Time, m.rand.Between(0, maxJitter)
	return p.Time().After(ends.Add(maxTTL-life-jitter)) || p.Time().After(ends.Add(-life/5-jitter))
}
