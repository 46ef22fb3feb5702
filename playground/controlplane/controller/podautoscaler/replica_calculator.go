package podautoscaler

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/sim"
)

// ReplicaCalculator tells from metrics how many replicas there should be.
//
// All values are in thousandths, and all ratios stay fractions of whole numbers.
// Upstream computes with floats, which now and then make one replica more of a
// product that is whole: 1.12 × 25 is 28.000000000000004 there.
//
// Upstream: replica_calculator.go, ReplicaCalculator.
type ReplicaCalculator struct {
	metrics   metrics.Client
	podLister listers.PodLister
	// cpuInitializationPeriod is how long after its start a Pod's CPU counts only
	// if it was ready for a whole window.
	cpuInitializationPeriod time.Duration
	// delayOfInitialReadinessStatus is how long after its start a Pod that was
	// never ready counts as one that was not ready yet.
	delayOfInitialReadinessStatus time.Duration
}

// Tolerances are how far, in thousandths, a ratio may be from 1 before anything
// is done. Upstream: replica_calculator.go, Tolerances.
type Tolerances struct{ scaleDown, scaleUp int64 }

// ratio is usage over target.
type ratio struct{ num, den int64 }

func (r ratio) above() bool { return r.num > r.den }
func (r ratio) below() bool { return r.num < r.den }

// times is n times the ratio, rounded up.
func (r ratio) times(n int) int32 { return int32((r.num*int64(n) + r.den - 1) / r.den) }

// String is the ratio in thousandths, rounded down, for the log.
func (r ratio) String() string {
	return fmt.Sprintf("%d.%03d", r.num/r.den, r.num*1000/r.den%1000)
}

func (t Tolerances) isWithin(r ratio) bool {
	return r.num*1000 >= (1000-t.scaleDown)*r.den && r.num*1000 <= (1000+t.scaleUp)*r.den
}

// proposal is what a metric asks for.
type proposal struct {
	replicas    int32
	utilization int32 // percent of the request
	usage       int64 // thousandths: the average of a Pod, or the value
	timestamp   time.Time
}

var errNoPods = errors.New("no pods returned by selector while calculating replica count")

// GetResourceReplicas is for a target in percent of what the Pods request.
// Upstream: replica_calculator.go, GetResourceReplicas.
func (c *ReplicaCalculator) GetResourceReplicas(p *sim.Proc, currentReplicas, targetUtilization int32, resource corev1.ResourceName, t Tolerances,
	namespace string, selector labels.Selector, container string) (proposal, error) {
	pods, m, timestamp, err := c.resourceMetrics(p, resource, namespace, selector, container)
	if err != nil {
		return proposal{}, err
	}
	if len(pods) == 0 {
		return proposal{}, errNoPods
	}
	g := c.groupPods(p, pods, m, resource)
	if len(m) == 0 {
		return proposal{}, errors.New("did not receive metrics for targeted pods (pods might be unready)")
	}
	requests, err := calculateRequests(pods, container, resource)
	if err != nil {
		return proposal{}, err
	}
	out := proposal{timestamp: timestamp}
	total := func() (r ratio, usage int64, err error) {
		var used, requested, n int64
		for _, pod := range pods {
			if metric, ok := m[pod.Name]; ok {
				used, requested, n = used+metric.Value, requested+requests[pod.Name], n+1
			}
		}
		if requested == 0 {
			return ratio{}, 0, errors.New("no metrics returned matched known pods")
		}
		return ratio{used * 100 / requested, int64(targetUtilization)}, used / n, nil
	}
	first, usage, err := total()
	if err != nil {
		return proposal{}, err
	}
	out.utilization, out.usage = int32(first.num), usage
	out.replicas, err = c.propose(p, currentReplicas, g, m, first, t, func(name string) int64 {
		return requests[name] * int64(max(100, targetUtilization)) / 100
	}, func() (ratio, error) { r, _, err := total(); return r, err })
	return out, err
}

// GetRawResourceReplicas is for a target that is an amount of a resource for each Pod.
func (c *ReplicaCalculator) GetRawResourceReplicas(p *sim.Proc, currentReplicas int32, targetUsage int64, resource corev1.ResourceName, t Tolerances,
	namespace string, selector labels.Selector, container string) (proposal, error) {
	pods, m, timestamp, err := c.resourceMetrics(p, resource, namespace, selector, container)
	if err != nil {
		return proposal{}, err
	}
	return c.calcPlainMetricReplicas(p, pods, m, timestamp, currentReplicas, targetUsage, t, resource)
}

// GetMetricReplicas is for a custom metric of the Pods.
func (c *ReplicaCalculator) GetMetricReplicas(p *sim.Proc, currentReplicas int32, targetUsage int64, metric string, t Tolerances, namespace string,
	selector labels.Selector) (proposal, error) {
	pods, err := c.podLister.Pods(namespace).List(selector)
	if err != nil {
		return proposal{}, err
	}
	m, timestamp, err := c.metrics.GetRawMetric(p, metric, pods, namespace)
	if err != nil {
		return proposal{}, fmt.Errorf("unable to get metric %s: %v", metric, err)
	}
	return c.calcPlainMetricReplicas(p, pods, m, timestamp, currentReplicas, targetUsage, t, "")
}

func (c *ReplicaCalculator) resourceMetrics(p *sim.Proc, resource corev1.ResourceName, namespace string, selector labels.Selector,
	container string) ([]*corev1.Pod, metrics.PodMetricsInfo, time.Time, error) {
	pods, err := c.podLister.Pods(namespace).List(selector)
	if err != nil {
		return nil, nil, time.Time{}, fmt.Errorf("unable to get pods while calculating replica count: %v", err)
	}
	m, timestamp, err := c.metrics.GetResourceMetric(p, resource, namespace, selector, container)
	if err != nil {
		return nil, nil, time.Time{}, fmt.Errorf("unable to get metrics for resource %s: %v", resource, err)
	}
	return pods, m, timestamp, nil
}

// calcPlainMetricReplicas is for metrics without requests. Upstream: the function of that name.
func (c *ReplicaCalculator) calcPlainMetricReplicas(p *sim.Proc, pods []*corev1.Pod, m metrics.PodMetricsInfo, timestamp time.Time,
	currentReplicas int32, targetUsage int64, t Tolerances, resource corev1.ResourceName) (proposal, error) {
	if len(pods) == 0 {
		return proposal{}, errNoPods
	}
	g := c.groupPods(p, pods, m, resource)
	if len(m) == 0 {
		return proposal{}, errors.New("did not receive metrics for targeted pods (pods might be unready)")
	}
	average := func() (ratio, error) {
		var used int64
		for _, metric := range m { // order: a sum
			used += metric.Value
		}
		return ratio{used / int64(len(m)), targetUsage}, nil
	}
	first, _ := average()
	replicas, err := c.propose(p, currentReplicas, g, m, first, t, func(string) int64 { return targetUsage }, average)
	return proposal{replicas: replicas, usage: first.num, timestamp: timestamp}, err
}

// propose turns a ratio into replicas. Pods without metrics, or not ready, are
// counted in the way that changes less: when it would shrink, missing ones use
// what fallback says; when it would grow, they and those not ready use nothing. If
// that turns the direction, nothing is changed.
func (c *ReplicaCalculator) propose(p *sim.Proc, currentReplicas int32, g podGroups, m metrics.PodMetricsInfo, r ratio, t Tolerances,
	fallback func(name string) int64, again func() (ratio, error)) (int32, error) {
	log := p.Logger()
	scaleUpWithUnready := len(g.unready) > 0 && r.above()
	if !scaleUpWithUnready && len(g.missing) == 0 {
		within := t.isWithin(r)
		log.V(2).Info("Compared usage with its target", "usageRatio", r, "tolerance", t.scaleUp, "withinTolerance", within, "readyPods", g.ready, "currentReplicas",
			currentReplicas)
		if within {
			return currentReplicas, nil
		}
		return r.times(g.ready), nil
	}
	for _, name := range g.missing {
		if r.below() {
			m[name] = metrics.PodMetric{Value: fallback(name)}
		} else if r.above() {
			m[name] = metrics.PodMetric{}
		}
	}
	if scaleUpWithUnready {
		for _, name := range g.unready {
			m[name] = metrics.PodMetric{}
		}
	}
	n, err := again()
	if err != nil {
		return 0, err
	}
	replicas := n.times(len(m))
	log.V(2).Info("Compared usage with its target", "usageRatio", r, "usageRatioWithAllPods", n, "tolerance", t.scaleUp,
		"readyPods", g.ready, "unreadyPods", len(g.unready), "missingMetrics", len(g.missing), "currentReplicas", currentReplicas, "calculated", replicas)
	if t.isWithin(n) || r.below() && n.above() || r.above() && n.below() {
		return currentReplicas, nil
	}
	if n.below() && replicas > currentReplicas || n.above() && replicas < currentReplicas {
		return currentReplicas, nil
	}
	return replicas, nil
}

// podGroups are the Pods by what their metrics are worth. Names are in order.
type podGroups struct {
	ready            int
	unready, missing []string
}

// groupPods sorts Pods, and takes the metrics of those that are not counted out of m.
// Upstream: replica_calculator.go, groupPods and removeMetricsForPods.
func (c *ReplicaCalculator) groupPods(p *sim.Proc, pods []*corev1.Pod, m metrics.PodMetricsInfo, resource corev1.ResourceName) podGroups {
	var g podGroups
	for _, pod := range pods {
		metric, found := m[pod.Name]
		switch {
		case pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed:
			delete(m, pod.Name)
		case pod.Status.Phase == corev1.PodPending:
			g.unready = append(g.unready, pod.Name)
			delete(m, pod.Name)
		case !found:
			g.missing = append(g.missing, pod.Name)
		case resource == corev1.ResourceCPU && c.cpuUnready(pod, metric, p.Time()):
			g.unready = append(g.unready, pod.Name)
			delete(m, pod.Name)
		default:
			g.ready++
		}
	}
	return g
}

// cpuUnready says that a Pod's CPU is that of its start, and says nothing of its load.
func (c *ReplicaCalculator) cpuUnready(pod *corev1.Pod, metric metrics.PodMetric, now time.Time) bool {
	_, ready := controller.GetPodCondition(&pod.Status, corev1.PodReady)
	start := pod.Status.StartTime
	if ready == nil || start == nil {
		return true
	}
	not := ready.Status == corev1.ConditionFalse
	if start.Add(c.cpuInitializationPeriod).After(now) {
		return not || metric.Timestamp.Before(ready.LastTransitionTime.Add(metric.Window))
	}
	return not && start.Add(c.delayOfInitialReadinessStatus).After(ready.LastTransitionTime.Time)
}

// calculateRequests adds up what the containers of each Pod request, in
// thousandths; all have to request something. Upstream: calculateRequests.
func calculateRequests(pods []*corev1.Pod, container string, resource corev1.ResourceName) (map[string]int64, error) {
	out := make(map[string]int64, len(pods))
	for _, pod := range pods {
		if container == "" && pod.Spec.Resources != nil {
			if q, ok := pod.Spec.Resources.Requests[resource]; ok {
				out[pod.Name] = q.MilliValue()
				continue
			}
		}
		list := pod.Spec.Containers
		for i := range pod.Spec.InitContainers { // sidecars run along
			if policy := pod.Spec.InitContainers[i].RestartPolicy; policy != nil && *policy == corev1.ContainerRestartPolicyAlways {
				list = append(list[:len(list):len(list)], pod.Spec.InitContainers[i])
			}
		}
		for i := range list {
			if container != "" && container != list[i].Name {
				continue
			}
			q, ok := list[i].Resources.Requests[resource]
			if !ok {
				return nil, fmt.Errorf("missing request for %s in container %s of Pod %s", resource, list[i].Name, pod.Name)
			}
			out[pod.Name] += q.MilliValue()
		}
	}
	return out, nil
}

// GetObjectMetricReplicas is for a metric of one object, as a whole.
func (c *ReplicaCalculator) GetObjectMetricReplicas(p *sim.Proc, currentReplicas int32, target int64, metric string, t Tolerances, namespace string,
	ref *autoscalingv2.CrossVersionObjectReference, selector labels.Selector) (proposal, error) {
	usage, timestamp, err := c.metrics.GetObjectMetric(p, metric, namespace, ref.Kind, ref.Name)
	if err != nil {
		return proposal{}, fmt.Errorf("unable to get metric %s: %v on %s %s/%v", metric, ref.Kind, namespace, ref.Name, err)
	}
	replicas, err := c.getUsageRatioReplicaCount(p, currentReplicas, ratio{usage, target}, t, namespace, selector)
	return proposal{replicas: replicas, usage: usage, timestamp: timestamp}, err
}

// GetObjectPerPodMetricReplicas is for a metric of one object, shared by the Pods.
func (c *ReplicaCalculator) GetObjectPerPodMetricReplicas(p *sim.Proc, statusReplicas int32, target int64, metric string, t Tolerances, namespace string,
	ref *autoscalingv2.CrossVersionObjectReference) (proposal, error) {
	usage, timestamp, err := c.metrics.GetObjectMetric(p, metric, namespace, ref.Kind, ref.Name)
	if err != nil {
		return proposal{}, fmt.Errorf("unable to get metric %s: %v on %s %s/%v", metric, ref.Kind, namespace, ref.Name, err)
	}
	return perPod(p, statusReplicas, usage, target, t, timestamp), nil
}

// GetExternalMetricReplicas is for a metric from outside, as a whole.
func (c *ReplicaCalculator) GetExternalMetricReplicas(p *sim.Proc, currentReplicas int32, target int64, metric string, t Tolerances, namespace string,
	metricSelector, selector labels.Selector) (proposal, error) {
	usage, timestamp, err := c.external(p, metric, namespace, metricSelector)
	if err != nil {
		return proposal{}, err
	}
	replicas, err := c.getUsageRatioReplicaCount(p, currentReplicas, ratio{usage, target}, t, namespace, selector)
	return proposal{replicas: replicas, usage: usage, timestamp: timestamp}, err
}

// GetExternalPerPodMetricReplicas is for a metric from outside, shared by the Pods.
func (c *ReplicaCalculator) GetExternalPerPodMetricReplicas(p *sim.Proc, statusReplicas int32, target int64, metric string, t Tolerances, namespace string,
	metricSelector labels.Selector) (proposal, error) {
	usage, timestamp, err := c.external(p, metric, namespace, metricSelector)
	if err != nil {
		return proposal{}, err
	}
	return perPod(p, statusReplicas, usage, target, t, timestamp), nil
}

func (c *ReplicaCalculator) external(p *sim.Proc, metric, namespace string, metricSelector labels.Selector) (int64, time.Time, error) {
	usage, timestamp, err := c.metrics.GetExternalMetric(p, metric, namespace, metricSelector)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("unable to get external metric %s/%s/%+v: %s", namespace, metric, metricSelector, err)
	}
	return usage, timestamp, nil
}

// perPod shares a value among the Pods that there are.
func perPod(p *sim.Proc, statusReplicas int32, usage, target int64, t Tolerances, timestamp time.Time) proposal {
	out := proposal{replicas: statusReplicas, timestamp: timestamp}
	if r := (ratio{usage, target * int64(statusReplicas)}); statusReplicas == 0 || !t.isWithin(r) {
		out.replicas = ratio{usage, target}.times(1)
	}
	if statusReplicas > 0 {
		out.usage = (usage + int64(statusReplicas) - 1) / int64(statusReplicas)
	}
	p.Logger().V(2).Info("Compared usage with its target", "usage", usage, "targetPerPod", target, "pods", statusReplicas, "calculated", out.replicas)
	return out
}

// getUsageRatioReplicaCount multiplies the Pods that are ready.
func (c *ReplicaCalculator) getUsageRatioReplicaCount(p *sim.Proc, currentReplicas int32, r ratio, t Tolerances, namespace string,
	selector labels.Selector) (int32, error) {
	if currentReplicas == 0 {
		return r.times(1), nil
	}
	if t.isWithin(r) {
		return currentReplicas, nil
	}
	pods, err := c.podLister.Pods(namespace).List(selector)
	if err != nil {
		return 0, fmt.Errorf("unable to calculate ready pods: %v", err)
	}
	if len(pods) == 0 {
		return 0, fmt.Errorf("unable to calculate ready pods: %v", errNoPods)
	}
	ready := 0
	for _, pod := range pods {
		if pod.Status.Phase == corev1.PodRunning && controller.IsPodReady(pod) {
			ready++
		}
	}
	p.Logger().V(2).Info("Compared usage with its target", "usageRatio", r, "tolerance", t.scaleUp, "readyPods", ready, "currentReplicas", currentReplicas,
		"calculated", r.times(ready))
	return r.times(ready), nil
}
