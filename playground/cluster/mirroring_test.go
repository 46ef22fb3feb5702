//go:build !js || cel

package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// TestEndpointsByHand: the roles of Kubernetes suffice for mirroring Endpoints that somebody wrote, and requests go where those say.
// Upstream: test/e2e/network/endpointslicemirroring.go.
func TestEndpointsByHand(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Network, config.AllKinds, config.Authorization = true, true, cluster.RBAC
	w := &netWorld{t, cluster.New(config, 1), 1}
	t.Cleanup(w.Close)
	w.pass(12 * time.Second)
	typed(t, w.Cluster, "apply -f web", webManifest)
	typed(t, w.Cluster, "apply -f client", clientManifest)
	typed(t, w.Cluster, "apply -f custom", service("custom", `{"ports":[{"port":80}]}`))
	w.pass(20 * time.Second)
	ip := typed(t, w.Cluster, "get pods -l app=web -o jsonpath={.items[0].status.podIP}", "")
	typed(t, w.Cluster, "apply -f endpoints", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"custom"},
		"subsets":[{"addresses":[{"ip":"`+ip+`"}],"ports":[{"port":80}]}]}`)
	w.pass(3 * time.Second)
	const slices = "get endpointslices -l kubernetes.io/service-name=custom -o jsonpath={.items[*].endpoints[*].addresses}"
	if got := typed(t, w.Cluster, slices, ""); got != `["`+ip+`"]` {
		t.Errorf("slices have %s, the Endpoints %s", got, ip)
	}
	w.asks("client", "http://custom", "200 web-")
	typed(t, w.Cluster, "delete endpoints custom", "")
	w.pass(3 * time.Second)
	if got := typed(t, w.Cluster, slices, ""); strings.Contains(got, ip) {
		t.Errorf("slices have %s when the Endpoints are gone", got)
	}
}
