package discovery

import (
	"slices"
	"strconv"
	"strings"
)

// checks are the API server's, in their order; those of /readyz alone have a mark.
// Upstream: apiserver/pkg/server/config.go, New, and what each part adds with AddPostStartHook and AddHealthChecks.
var checks = strings.Fields(`ping log etcd etcd-readiness? informer-sync?
poststarthook/start-apiserver-admission-initializer poststarthook/generic-apiserver-start-informers
poststarthook/priority-and-fairness-config-consumer poststarthook/priority-and-fairness-filter poststarthook/storage-object-count-tracker-hook
poststarthook/start-apiextensions-informers poststarthook/start-apiextensions-controllers poststarthook/crd-informer-synced
poststarthook/start-system-namespaces-controller poststarthook/peer-endpoint-reconciler-controller
poststarthook/start-cluster-authentication-info-controller poststarthook/start-kube-apiserver-identity-lease-controller
poststarthook/start-kube-apiserver-identity-lease-garbage-collector poststarthook/storage-readiness
poststarthook/start-legacy-token-tracking-controller poststarthook/start-service-ip-repair-controllers poststarthook/rbac/bootstrap-roles
poststarthook/scheduling/bootstrap-system-priority-classes poststarthook/priority-and-fairness-config-producer poststarthook/bootstrap-controller
poststarthook/start-kubernetes-service-cidr-controller poststarthook/aggregator-reload-proxy-client-cert
poststarthook/start-kube-aggregator-informers poststarthook/apiservice-status-local-available-controller
poststarthook/apiservice-status-remote-available-controller poststarthook/apiservice-registration-controller
poststarthook/apiservice-discovery-controller poststarthook/kube-apiserver-autoregistration autoregister-completion
poststarthook/apiservice-openapi-controller poststarthook/apiservice-openapiv3-controller shutdown?`)

// HealthPaths are all at which the server tells how it is.
func HealthPaths() (paths []string) {
	for _, root := range []string{"/healthz", "/livez", "/readyz"} {
		paths = append(paths, root)
		for _, check := range checks {
			if name, only := strings.CutSuffix(check, "?"); !only || root == "/readyz" {
				paths = append(paths, root+"/"+name)
			}
		}
	}
	return paths
}

// Health is the answer at one of them; code 0 says that it is none. etcd tells whether that answers: nothing else fails here.
// Upstream: apiserver/pkg/server/healthz/healthz.go, handleRootHealth and adaptCheckToHandler.
func Health(path string, query map[string][]string, etcd bool) (code int, text string) {
	root, single, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if root != "healthz" && root != "livez" && root != "readyz" {
		return 0, ""
	}
	excluded, lines, found := slices.Clone(query["exclude"]), "", false
	if single != "" { // which knows no exceptions
		excluded = nil
	}
	slices.Sort(excluded)
	excluded = slices.Compact(excluded)
	code = 200
	for _, check := range checks {
		name, only := strings.CutSuffix(check, "?")
		if only && root != "readyz" || single != "" && single != name {
			continue
		}
		found = true
		switch i := slices.Index(excluded, name); {
		case i >= 0:
			excluded = slices.Delete(excluded, i, i+1)
			lines += "[+]" + name + " excluded: ok\n"
		case !etcd && strings.HasPrefix(name, "etcd"):
			code = 500
			lines += "[-]" + name + " failed: reason withheld\n"
		default:
			lines += "[+]" + name + " ok\n"
		}
	}
	_, verbose := query["verbose"]
	switch {
	case !found:
		return 0, ""
	case single != "" && code != 200:
		return code, "internal server error: error getting data from etcd: context deadline exceeded\n"
	case single != "" || code == 200 && !verbose:
		return code, "ok"
	}
	for i, name := range excluded {
		excluded[i] = strconv.Quote(name)
	}
	if len(excluded) > 0 {
		lines += "warn: some health checks cannot be excluded: no matches for " + strings.Join(excluded, ",") + "\n"
	}
	if code != 200 {
		return code, lines + root + " check failed\n"
	}
	return code, lines + root + " check passed\n"
}
