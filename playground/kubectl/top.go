package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/client"
)

// supported finds out whether the API server has metrics.k8s.io, and knows what is in it.
// Upstream: kubectl pkg/cmd/top/top.go, SupportedMetricsAPIVersionAvailable.
func (s *session) supported(resource string) error {
	if s.api().Kinds.ForResource(metricsv1beta1.GroupVersion.WithResource(resource)) == nil {
		return errors.New("Metrics API not available")
	}
	return nil
}

// topped says what is wrong with the command line. Upstream: kubectl pkg/cmd/top/top_pod.go and top_node.go, Complete and Validate.
func (s *session) topped(selector string, selects bool) error {
	_, what, _ := strings.Cut(s.name, " ")
	switch by := s.flags.text("sort-by"); {
	case len(s.args) > 1:
		return fmt.Errorf("%s [NAME | -l label]\nSee 'kubectl %s -h' for help and examples", what, s.name)
	case by != "" && by != "cpu" && by != "memory":
		return errors.New("--sort-by accepts only cpu or memory")
	case len(s.args) > 0 && selects:
		return fmt.Errorf("only one of NAME or %s can be provided", selector)
	}
	return nil
}

// errNotYet is what top ends with while nobody has measured anything.
var errNotYet = errors.New("metrics not available yet")

// usages asks what is used: by one that is named, or by all that a selector picks. T is the kind of the answers.
func usages[T any](s *session, resource, namespace, selector string) (items []T, err error) {
	if err := s.supported(resource); err != nil {
		return nil, err
	}
	r := &client.Request{Verb: client.List, Resource: metricsv1beta1.GroupVersion.WithResource(resource), Namespace: namespace,
		List: metav1.ListOptions{LabelSelector: selector}}
	if len(s.args) > 0 {
		r.Verb, r.Name, r.List = client.Get, s.args[0], metav1.ListOptions{}
	}
	got, err := s.do(r)
	if err != nil {
		return nil, err
	}
	text, err := api.Encode(got)
	if err != nil {
		return nil, err
	}
	if r.Verb == client.Get {
		items = make([]T, 1)
		return items, json.Unmarshal(text, &items[0])
	}
	list := struct {
		Items []T `json:"items"`
	}{}
	err = json.Unmarshal(text, &list)
	return list.Items, err
}

// topNode is kubectl top node. Upstream: kubectl pkg/cmd/top/top_node.go, and
// pkg/metricsutil/metrics_printer.go, PrintNodeMetrics.
func topNode(s *session) error {
	if err := s.topped("--selector", s.flags.has("selector")); err != nil {
		return err
	}
	selector := s.flags.text("selector")
	if _, err := labels.Parse(selector); err != nil {
		return err
	}
	found, err := usages[metricsv1beta1.NodeMetrics](s, "nodes", "", selector)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errNotYet
	}
	nodes, err := s.items(api.KindOf(new(corev1.Node)), "", selector, "")
	if err != nil {
		return err
	}
	used := map[string]corev1.ResourceList{}
	for _, m := range found {
		used[m.Metadata.Name] = m.Usage
	}
	sorting.Stable(nodes, func(a, b api.Object) int {
		// Those that nobody knows of come last.
		x, xok := used[a.GetName()]
		y, yok := used[b.GetName()]
		if xok != yok {
			if xok {
				return -1
			}
			return 1
		}
		if n := byUsage(s.flags.text("sort-by"), x, y); n != 0 {
			return n
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)", ""})
	}
	for _, obj := range nodes {
		if len(s.args) > 0 && obj.GetName() != s.args[0] {
			continue
		}
		of := obj.(*corev1.Node).Status.Allocatable
		if s.flags.yes("show-capacity") {
			of = obj.(*corev1.Node).Status.Capacity
		}
		usage, known := used[obj.GetName()]
		row := []string{obj.GetName(), "<unknown>", "<unknown>", "<unknown>", "<unknown>", ""}
		if known {
			row = []string{obj.GetName(), cores(usage), percent(usage, of, corev1.ResourceCPU), mebibytes(usage), percent(usage, of, corev1.ResourceMemory), ""}
		}
		rows = append(rows, row)
	}
	if len(s.args) > 0 && (len(rows) == 0 || len(rows) == 1 && !s.flags.yes("no-headers")) {
		return fmt.Errorf("nodes %q not found", s.args[0])
	}
	s.printf("%s", columns(rows))
	return nil
}

// topPod is kubectl top pod. Upstream: kubectl pkg/cmd/top/top_pod.go, and
// pkg/metricsutil/metrics_printer.go, PrintPodMetrics.
func topPod(s *session) error {
	if err := s.topped("selector", s.flags.has("selector") || s.flags.has("field-selector")); err != nil {
		return err
	}
	namespace, selector := s.namespace, s.flags.text("selector")
	everywhere := s.flags.yes("all-namespaces")
	if everywhere {
		namespace = metav1.NamespaceAll
	}
	if len(s.args) > 1 {
		return fmt.Errorf("pod [NAME | -l label]\nSee 'kubectl top pod -h' for help and examples")
	}
	if _, err := labels.Parse(selector); err != nil {
		return err
	}
	found, err := usages[metricsv1beta1.PodMetrics](s, "pods", namespace, selector)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if err := s.whyNoMetrics(namespace, selector); err != nil {
			return err
		}
		text := "No resources found"
		if !everywhere {
			text = fmt.Sprintf("No resources found in %s namespace.", namespace)
		}
		s.complain(text)
		return nil
	}
	sorting.Stable(found, func(a, b metricsv1beta1.PodMetrics) int {
		if n := byUsage(s.flags.text("sort-by"), sumOf(a.Containers), sumOf(b.Containers)); n != 0 {
			return n
		}
		if n := strings.Compare(a.Metadata.Namespace, b.Metadata.Namespace); n != 0 {
			return n
		}
		return strings.Compare(a.Metadata.Name, b.Metadata.Name)
	})
	var rows [][]string
	line := func(m *metricsv1beta1.PodMetrics, container string, usage corev1.ResourceList) {
		var row []string
		if everywhere {
			row = append(row, m.Metadata.Namespace)
		}
		row = append(row, m.Metadata.Name)
		if container != "" {
			row = append(row, container)
		}
		rows = append(rows, append(row, cores(usage), mebibytes(usage), ""))
	}
	if !s.flags.yes("no-headers") {
		head := []string{"NAME", "CPU(cores)", "MEMORY(bytes)", ""}
		if s.flags.yes("containers") {
			head = append([]string{"POD"}, head...)
		}
		if everywhere {
			head = append([]string{"NAMESPACE"}, head...)
		}
		rows = append(rows, head)
	}
	for n := range found {
		m := &found[n]
		if !s.flags.yes("containers") {
			line(m, "", sumOf(m.Containers))
			continue
		}
		for _, c := range m.Containers {
			line(m, c.Name, c.Usage)
		}
	}
	s.printf("%s", columns(rows))
	return nil
}

// metricsCreationDelay is for how long a Pod may be without metrics.
const metricsCreationDelay = 2 * time.Minute

// whyNoMetrics tells apart that there are no Pods and that nobody has measured them. Upstream: verifyEmptyMetrics, checkPodAge.
func (s *session) whyNoMetrics(namespace, selector string) error {
	pods, err := s.items(podKind, namespace, selector, "")
	if err != nil || len(pods) == 0 {
		return err
	}
	for _, pod := range pods {
		if age := s.p.Time().Sub(pod.(*corev1.Pod).CreationTimestamp.Time); age > metricsCreationDelay {
			return fmt.Errorf("Metrics not available for pod %s/%s, age: %s", pod.GetNamespace(), pod.GetName(), age)
		}
	}
	return errNotYet
}

func sumOf(containers []metricsv1beta1.ContainerMetrics) corev1.ResourceList {
	sum := corev1.ResourceList{}
	for _, c := range containers {
		add(sum, c.Usage)
	}
	return sum
}

// byUsage puts what uses most first.
func byUsage(by string, a, b corev1.ResourceList) int {
	switch name := corev1.ResourceName(by); name {
	case corev1.ResourceCPU, corev1.ResourceMemory:
		x, y := a[name], b[name]
		return y.Cmp(x)
	}
	return 0
}

func cores(usage corev1.ResourceList) string {
	q := usage[corev1.ResourceCPU]
	return fmt.Sprintf("%dm", q.MilliValue())
}

func mebibytes(usage corev1.ResourceList) string {
	q := usage[corev1.ResourceMemory]
	return fmt.Sprintf("%dMi", q.Value()/(1<<20))
}

func percent(usage, of corev1.ResourceList, name corev1.ResourceName) string {
	q, whole := usage[name], of[name]
	total := whole.MilliValue()
	if total == 0 {
		return "0%"
	}
	return fmt.Sprintf("%d%%", int64(float64(q.MilliValue())/float64(total)*100))
}
