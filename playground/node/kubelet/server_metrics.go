package kubelet

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// Port is the one on which a kubelet answers over the network.
const Port = 10250

// How long the API server's word on who may ask is remembered. Upstream: KubeletConfiguration, authorization.webhook.cacheAuthorizedTTL and
// cacheUnauthorizedTTL.
const (
	authorizedTTL   = 5 * time.Minute
	unauthorizedTTL = 30 * time.Second
)

// verdict is the API server's answer to whether somebody may ask.
type verdict struct {
	allowed bool
	until   time.Duration
}

// Get answers a request that came over the network: done is called once. authorization is the header. Simplified: a token is "system:serviceaccount:"
// with the account's namespace and name, so there is no TokenReview; there is no TLS, and no other path.
// Upstream: pkg/kubelet/server/server.go, InstallAuthFilter, and auth.go, NewNodeAuthorizerAttributesGetter.
func (kl *Kubelet) Get(authorization, path string, done func(status int, body string)) {
	path, _, _ = strings.Cut(path, "?")
	subresource, answer := "metrics", kl.resourceMetrics
	switch path {
	case "/metrics/resource":
	case "/stats/summary":
		subresource, answer = "stats", kl.summary
	default:
		done(404, "404 page not found\n")
		return
	}
	user, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		done(401, "Unauthorized")
		return
	}
	kl.component.Go("GET "+path, func(p *sim.Proc) {
		allowed, err := kl.mayRead(p, user, subresource)
		switch {
		case err != nil:
			p.Logger().Error(err, "Authorization error", "user", user, "verb", "get", "resource", "nodes", "subresource", subresource)
			done(500, "Authorization error (user="+user+", verb=get, resource=nodes, subresource=["+subresource+"])")
		case !allowed:
			p.Logger().V(2).Info("Forbidden", "user", user, "verb", "get", "resource", "nodes", "subresource", subresource)
			done(403, "Forbidden (user="+user+", verb=get, resource=nodes, subresource=["+subresource+"])\n")
		default:
			p.Sleep(kl.rand.Between(time.Millisecond, 4*time.Millisecond))
			done(answer(p.Time()))
		}
	})
}

// mayRead asks the API server. Upstream: apiserver plugin/pkg/authorizer/webhook.
func (kl *Kubelet) mayRead(p *sim.Proc, user, subresource string) (bool, error) {
	key := user + " " + subresource
	if v, known := kl.verdicts[key]; known && p.Now() < v.until {
		return v.allowed, nil
	}
	groups := []string{"system:authenticated"}
	if account, is := strings.CutPrefix(user, "system:serviceaccount:"); is {
		namespace, _, _ := strings.Cut(account, ":")
		groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
	}
	question := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, Groups: groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: client.Get, Version: "v1", Resource: "nodes", Subresource: subresource, Name: kl.options.Node}}}
	k := api.KindOf(question)
	got, err := client.As[*authorizationv1.SubjectAccessReview](kl.client.Transport().Do(p,
		&client.Request{Verb: client.Create, Resource: k.GroupVersionResource(), Object: question}))
	if err != nil {
		return false, err
	}
	v := verdict{got.Status.Allowed, p.Now() + unauthorizedTTL}
	if v.allowed {
		v.until = p.Now() + authorizedTTL
	}
	if kl.verdicts == nil {
		kl.verdicts = map[string]verdict{}
	}
	kl.verdicts[key] = v
	return v.allowed, nil
}

// resourceMetrics is what /metrics/resource says, in the text format of Prometheus: counters of CPU time, and memory now. Simplified: the values
// are those of the moment (a real kubelet's runtime measures every ten seconds or so), and swap and the
// Pods' sums are left out.
// Upstream: pkg/kubelet/metrics/collectors/resource_metrics.go.
func (kl *Kubelet) resourceMetrics(now time.Time) (int, string) {
	stats, err := kl.cri.ListContainerStats()
	sorting.Func(stats, func(a, b cri.ContainerStats) int {
		return cmp.Or(strings.Compare(a.Container, b.Container), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Pod, b.Pod))
	})
	var b strings.Builder
	head := func(name, kind, help string) {
		b.WriteString("# HELP " + name + " [STABLE] " + help + "\n# TYPE " + name + " " + kind + "\n")
	}
	stamp := " " + strconv.FormatInt(now.UnixMilli(), 10) + "\n"
	value := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	containers := func(name, kind, help string, of func(*cri.ContainerStats) string) {
		if len(stats) > 0 {
			head(name, kind, help)
		}
		for i := range stats {
			s := &stats[i]
			b.WriteString(name + `{container="` + s.Container + `",namespace="` + s.Namespace + `",pod="` + s.Pod + `"} ` + of(s))
		}
	}
	containers("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the container in core-seconds",
		func(s *cri.ContainerStats) string { return value(s.CPUTime.Seconds()) + stamp })
	containers("container_memory_working_set_bytes", "gauge", "Current working set of the container in bytes",
		func(s *cri.ContainerStats) string { return value(float64(s.MemoryWorkingSet)) + stamp })
	containers("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds",
		func(s *cri.ContainerStats) string { return value(float64(s.StartedAt.UnixNano())/1e9) + "\n" })
	memory, failed := int64(cri.SystemMemory), "0\n"
	for _, s := range stats {
		memory += s.MemoryWorkingSet
	}
	if err == nil {
		head("node_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the node in core-seconds")
		b.WriteString("node_cpu_usage_seconds_total " + value(kl.cri.CPUTime().Seconds()) + stamp)
		head("node_memory_working_set_bytes", "gauge", "Current working set of the node in bytes")
		b.WriteString("node_memory_working_set_bytes " + value(float64(memory)) + stamp)
	} else {
		failed = "1\n"
	}
	head("resource_scrape_error", "gauge", "1 if there was an error while getting container metrics, 0 otherwise")
	b.WriteString("resource_scrape_error " + failed)
	return 200, b.String()
}

// The summary, as far as something is known. Upstream: k8s.io/kubelet/pkg/apis/stats/v1alpha1.
type (
	summaryStats struct {
		Node nodeStats  `json:"node"`
		Pods []podStats `json:"pods"`
	}
	nodeStats struct {
		NodeName string       `json:"nodeName"`
		CPU      *cpuStats    `json:"cpu,omitempty"`
		Memory   *memoryStats `json:"memory,omitempty"`
	}
	podStats struct {
		PodRef     podReference     `json:"podRef"`
		StartTime  metav1.Time      `json:"startTime"`
		Containers []containerStats `json:"containers"`
		CPU        *cpuStats        `json:"cpu,omitempty"`
		Memory     *memoryStats     `json:"memory,omitempty"`
	}
	podReference struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	}
	containerStats struct {
		Name      string       `json:"name"`
		StartTime metav1.Time  `json:"startTime"`
		CPU       *cpuStats    `json:"cpu,omitempty"`
		Memory    *memoryStats `json:"memory,omitempty"`
		Rootfs    fsStats      `json:"rootfs"`
		Logs      fsStats      `json:"logs"`
	}
	cpuStats struct {
		Time                 metav1.Time `json:"time"`
		UsageNanoCores       int64       `json:"usageNanoCores"`
		UsageCoreNanoSeconds int64       `json:"usageCoreNanoSeconds"`
	}
	memoryStats struct {
		Time            metav1.Time `json:"time"`
		WorkingSetBytes int64       `json:"workingSetBytes"`
	}
	fsStats struct {
		Time      metav1.Time `json:"time"`
		UsedBytes int64       `json:"usedBytes"`
	}
)

func (c *cpuStats) add(other *cpuStats) {
	c.UsageNanoCores, c.UsageCoreNanoSeconds = c.UsageNanoCores+other.UsageNanoCores, c.UsageCoreNanoSeconds+other.UsageCoreNanoSeconds
}

// summary is what /stats/summary says. Upstream: pkg/kubelet/server/stats/summary.go.
func (kl *Kubelet) summary(at time.Time) (int, string) {
	stats, err := kl.cri.ListContainerStats()
	if err != nil {
		return 500, err.Error()
	}
	now := metav1.NewTime(at)
	out := summaryStats{Node: nodeStats{NodeName: kl.options.Node, CPU: &cpuStats{Time: now}, Memory: &memoryStats{now, cri.SystemMemory}}, Pods: []podStats{}}
	for _, s := range stats {
		i := slices.IndexFunc(out.Pods, func(p podStats) bool { return p.PodRef.UID == s.UID })
		if i < 0 {
			i = len(out.Pods)
			out.Pods = append(out.Pods, podStats{PodRef: podReference{s.Pod, s.Namespace, s.UID}, StartTime: metav1.NewTime(s.StartedAt),
				CPU: &cpuStats{Time: now}, Memory: &memoryStats{Time: now}})
		}
		pod := &out.Pods[i]
		cpu := &cpuStats{now, s.CPUNanoCores, int64(s.CPUTime)}
		pod.Containers = append(pod.Containers, containerStats{s.Container, metav1.NewTime(s.StartedAt), cpu, &memoryStats{now, s.MemoryWorkingSet},
			fsStats{now, s.WritableLayer}, fsStats{now, s.LogBytes}})
		pod.CPU.add(cpu)
		pod.Memory.WorkingSetBytes += s.MemoryWorkingSet
		out.Node.CPU.UsageNanoCores += cpu.UsageNanoCores
		out.Node.Memory.WorkingSetBytes += s.MemoryWorkingSet
	}
	out.Node.CPU.UsageCoreNanoSeconds = int64(kl.cri.CPUTime())
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return 500, err.Error()
	}
	return 200, string(text)
}
