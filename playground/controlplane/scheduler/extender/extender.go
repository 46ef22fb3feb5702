// Package extender is the scheduler's side of an extender: a program that the scheduler asks by HTTP, after its plugins, which nodes suit a Pod.
//
// It is older than the framework: it was the only way to take part in a decision without a scheduler of one's own. Requests, answers and
// what an error says are upstream's. Absent: preemptVerb, TLS.
//
// Upstream: pkg/scheduler/extender.go; k8s.io/kube-scheduler/extender/v1, for what is sent.
package extender

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// DefaultExtenderTimeout is how long an extender may take. Upstream: same name.
const DefaultExtenderTimeout = 5 * time.Second

// Post sends a body to a URL and waits for the answer, at most for a time. An error is what net/http says of it, without the URL.
type Post func(p *sim.Proc, url string, body []byte, timeout time.Duration) (status int, answer []byte, err error)

// HTTPExtender implements framework.Extender. Upstream: same name.
type HTTPExtender struct {
	config config.Extender
	post   Post
}

// New makes an extender as it is configured.
func New(c config.Extender, post Post) framework.Extender {
	if c.HTTPTimeout == 0 {
		c.HTTPTimeout = config.Duration(DefaultExtenderTimeout)
	}
	return &HTTPExtender{c, post}
}

// What is sent and answered. Upstream: k8s.io/kube-scheduler/extender/v1, types.go, whose fields have no other names in JSON.
type (
	args struct {
		Pod       *corev1.Pod
		Nodes     *corev1.NodeList
		NodeNames *[]string
	}
	filterResult struct {
		Nodes                      *corev1.NodeList
		NodeNames                  *[]string
		FailedNodes                map[string]string
		FailedAndUnresolvableNodes map[string]string
		Error                      string
	}
	bindingArgs struct {
		PodName      string
		PodNamespace string
		PodUID       string
		Node         string
	}
	bindingResult struct{ Error string }
)

// Name implements framework.Extender.
func (h *HTTPExtender) Name() string { return h.config.URLPrefix }

// IsIgnorable implements framework.Extender.
func (h *HTTPExtender) IsIgnorable() bool { return h.config.Ignorable }

// IsBinder implements framework.Extender.
func (h *HTTPExtender) IsBinder() bool { return h.config.BindVerb != "" }

// IsPrioritizer implements framework.Extender.
func (h *HTTPExtender) IsPrioritizer() bool { return h.config.PrioritizeVerb != "" }

// IsFilter implements framework.Extender.
func (h *HTTPExtender) IsFilter() bool { return h.config.FilterVerb != "" }

// IsInterested tells whether a container asks for a resource that is managed; if none is, every Pod is of interest.
func (h *HTTPExtender) IsInterested(pod *corev1.Pod) bool {
	if len(h.config.ManagedResources) == 0 {
		return true
	}
	for _, containers := range [...][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			for _, r := range h.config.ManagedResources {
				name := corev1.ResourceName(r.Name)
				if _, ok := containers[i].Resources.Requests[name]; ok {
					return true
				}
				if _, ok := containers[i].Resources.Limits[name]; ok {
					return true
				}
			}
		}
	}
	return false
}

// question is a Pod and nodes, whole or by their names.
func (h *HTTPExtender) question(pod *corev1.Pod, nodes []*framework.NodeInfo) args {
	if h.config.NodeCacheCapable {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = n.Name()
		}
		return args{Pod: pod, NodeNames: &names}
	}
	list := &corev1.NodeList{}
	for _, n := range nodes {
		list.Items = append(list.Items, *n.Node())
	}
	return args{Pod: pod, Nodes: list}
}

// region filter

// Filter implements framework.Extender.
func (h *HTTPExtender) Filter(p *sim.Proc, pod *corev1.Pod, nodes []*framework.NodeInfo) (filtered []*framework.NodeInfo,
	failed, failedAndUnresolvable map[string]string, err error) {
	if h.config.FilterVerb == "" {
		return nodes, nil, nil, nil
	}
	var result filterResult
	if err := h.send(p, h.config.FilterVerb, h.question(pod, nodes), &result); err != nil {
		return nil, nil, nil, err
	}
	if result.Error != "" {
		return nil, nil, nil, errors.New(result.Error)
	}
	var names []string
	if h.config.NodeCacheCapable && result.NodeNames != nil {
		names = *result.NodeNames
	} else if result.Nodes != nil {
		for i := range result.Nodes.Items {
			names = append(names, result.Nodes.Items[i].Name)
		}
	}
	for _, name := range names {
		n := find(nodes, name)
		if n == nil {
			return nil, nil, nil, fmt.Errorf("extender %q claims a filtered node %q which is not found in the input node list", h.config.URLPrefix, name)
		}
		filtered = append(filtered, n)
	}
	return filtered, result.FailedNodes, result.FailedAndUnresolvableNodes, nil
}

// endregion

func find(nodes []*framework.NodeInfo, name string) *framework.NodeInfo {
	for _, n := range nodes {
		if n.Name() == name {
			return n
		}
	}
	return nil
}

// Prioritize implements framework.Extender.
func (h *HTTPExtender) Prioritize(p *sim.Proc, pod *corev1.Pod, nodes []*framework.NodeInfo) ([]framework.HostPriority, int64, error) {
	if h.config.PrioritizeVerb == "" {
		return nil, 0, nil
	}
	var result []framework.HostPriority
	if err := h.send(p, h.config.PrioritizeVerb, h.question(pod, nodes), &result); err != nil {
		return nil, 0, err
	}
	return result, h.config.Weight, nil
}

// Bind implements framework.Extender.
func (h *HTTPExtender) Bind(p *sim.Proc, pod *corev1.Pod, node string) error {
	var result bindingResult
	if err := h.send(p, h.config.BindVerb, bindingArgs{pod.Name, pod.Namespace, string(pod.UID), node}, &result); err != nil {
		return err
	}
	if result.Error != "" {
		return errors.New(result.Error)
	}
	return nil
}

// send asks, and reads the answer. Upstream: HTTPExtender.send; what an error begins with is net/url's.
func (h *HTTPExtender) send(p *sim.Proc, action string, args, result any) error {
	out, err := json.Marshal(args)
	if err != nil {
		return err
	}
	url := strings.TrimRight(h.config.URLPrefix, "/") + "/" + action
	status, answer, err := h.post(p, url, out, time.Duration(h.config.HTTPTimeout))
	if err != nil {
		return fmt.Errorf("Post %q: %w", url, err)
	}
	if status != 200 {
		return fmt.Errorf("failed %v with extender at URL %v, code %v", action, url, status)
	}
	return json.Unmarshal(answer, result)
}
