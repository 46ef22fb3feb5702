package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// defaultContainer is the annotation that names the container that is meant when none is named.
// Upstream: kubectl pkg/cmd/util/podcmd/podcmd.go.
const defaultContainer = "kubectl.kubernetes.io/default-container"

const logsUsage = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples"

// runLogs is kubectl logs. Upstream: kubectl pkg/cmd/logs/logs.go, RunLogs.
func runLogs(s *session) error {
	selector := s.flags.text("selector")
	all := s.flags.yes("all-containers")
	container := s.flags.text("container")
	switch {
	case len(s.args) == 0 && selector == "", len(s.args) > 2:
		return errors.New(logsUsage)
	case len(s.args) > 0 && selector != "":
		return errors.New("only a selector (-l) or a POD name is allowed\nSee 'kubectl logs -h' for help and examples")
	case len(s.args) == 2 && container != "":
		return errors.New("only one of -c or an inline [CONTAINER] arg is allowed")
	case all && container != "":
		return fmt.Errorf("--all-containers=true should not be specified with container name %s", container)
	case s.flags.has("since") && s.flags.has("since-time"):
		return errors.New("at most one of `sinceTime` or `sinceSeconds` may be specified")
	case s.flags.number("tail", -1) < -1:
		return errors.New("--tail must be greater than or equal to -1")
	case s.flags.number("limit-bytes", 0) < 0:
		return errors.New("--limit-bytes must be greater than 0")
	case s.flags.duration("since") < 0:
		return errors.New("--since must be greater than 0")
	}
	if text := s.flags.text("since-time"); text != "" {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return err
		}
	}
	if len(s.args) == 2 {
		container = s.args[1]
	}
	pods, err := s.podsOf(s.args, selector)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("error from server (NotFound): %w in namespace %q", err, s.namespace)
	}
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		s.complain("No resources found in " + s.namespace + " namespace.")
	}
	var requests []*client.Request
	for _, pod := range pods {
		names, err := s.containersOf(pod, container, all)
		if err != nil {
			return err
		}
		for _, name := range names {
			requests = append(requests, s.log(pod, name))
		}
	}
	if s.flags.yes("follow") {
		return s.followLogs(requests)
	}
	for _, r := range requests {
		got, err := client.As[*client.Text](s.do(r))
		if err != nil && s.flags.yes("ignore-errors") {
			s.printf("error: %s\n", err)
			continue
		}
		if err != nil {
			return err
		}
		s.printf("%s", prefixed(s.logPrefix(r), got.Body))
	}
	return nil
}

// followLogs prints logs as they grow. Upstream: logs.go, LogsOptions.RunLogsContext.
func (s *session) followLogs(requests []*client.Request) error {
	if most := s.flags.number("max-log-requests", 5); int64(len(requests)) > most {
		return fmt.Errorf("you are attempting to follow %d log streams, but maximum allowed concurrency is %d, use --max-log-requests to increase the limit",
			len(requests), most)
	}
	var outputs []output
	for _, r := range requests {
		r.Log.Follow, r.Streams = true, true
		got, err := s.retried(r)
		if err != nil {
			return err
		}
		if got.Output != nil { // a Pod without a node has none
			outputs = append(outputs, output{got.Output, s.logPrefix(r)})
		}
	}
	return s.followOutputs(outputs)
}

// logPrefix is what each line of a log begins with.
func (s *session) logPrefix(r *client.Request) string {
	if !s.flags.yes("prefix") && !s.flags.yes("all-pods") {
		return ""
	}
	return fmt.Sprintf("[pod/%s/%s] ", r.Name, r.Log.Container)
}

// log is the request for a container's log.
func (s *session) log(pod *corev1.Pod, container string) *client.Request {
	options := &corev1.PodLogOptions{Container: container, Previous: s.flags.yes("previous"), Timestamps: s.flags.yes("timestamps")}
	tail := s.flags.number("tail", -1)
	if !s.flags.has("tail") && s.flags.has("selector") {
		tail = 10
	}
	if tail >= 0 {
		options.TailLines = &tail
	}
	if s.flags.duration("since") > 0 {
		seconds := int64(s.flags.duration("since").Seconds())
		options.SinceSeconds = &seconds
	}
	if t, err := time.Parse(time.RFC3339, s.flags.text("since-time")); err == nil {
		since := metav1.NewTime(t)
		options.SinceTime = &since
	}
	if n := s.flags.number("limit-bytes", 0); n > 0 {
		options.LimitBytes = &n
	}
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Get)
	r.Subresource, r.Log = "log", options
	return r
}

// podsOf are the Pods that somebody names: by name, by what owns them, or by labels.
// Upstream: polymorphichelpers/logsforobject.go, and attachablepodforobject.go.
func (s *session) podsOf(args []string, selector string) ([]*corev1.Pod, error) {
	if selector != "" {
		return s.podsBy(selector)
	}
	name := args[0]
	if !strings.Contains(name, "/") {
		name = "pod/" + name
	}
	infos, err := s.fetched([]string{name})
	if err != nil {
		return nil, err
	}
	i := infos[0]
	if pod, ok := i.object.(*corev1.Pod); ok {
		return []*corev1.Pod{pod}, nil
	}
	text := ""
	switch o := i.object.(type) {
	case *corev1.Service:
		if len(o.Spec.Selector) == 0 {
			return nil, s.noPods(i, fmt.Errorf("invalid service '%s': Service is defined without a selector", o.Name))
		}
		text = labels.Set(o.Spec.Selector).String()
	default:
		sel, ok := at(tree(o), "spec", "selector", "matchLabels").(map[string]any)
		if !ok {
			return nil, s.noPods(i, fmt.Errorf("selector for %s not implemented", i.goType()))
		}
		set := labels.Set{}
		for k, v := range sel { // order: each has its own key
			set[k], _ = v.(string)
		}
		text = set.String()
	}
	pods, err := s.podsBy(text)
	if err != nil {
		return nil, err
	}
	if len(pods) == 0 {
		return nil, errTimeout
	}
	slices.SortStableFunc(pods, byReadiness)
	if s.flags.yes("all-pods") {
		return pods, nil
	}
	if len(pods) > 1 && s.name == "logs" {
		s.complain(fmt.Sprintf("Found %d pods, using pod/%s", len(pods), pods[0].Name))
	}
	return pods[:1], nil
}

// noPods is why something has no Pods.
func (s *session) noPods(i *info, why error) error {
	if s.name == "logs" {
		return fmt.Errorf("cannot get the logs from %s: %w", i.goType(), why)
	}
	return fmt.Errorf("cannot attach to %s: %w", i.goType(), why)
}

func (s *session) podsBy(selector string) ([]*corev1.Pod, error) {
	found, err := s.items(podKind, s.namespace, selector, "")
	if err != nil {
		return nil, err
	}
	var out []*corev1.Pod
	for _, obj := range found {
		out = append(out, obj.(*corev1.Pod))
	}
	return out, nil
}

// byReadiness puts the Pod that most likely answers first.
// Upstream: kubectl pkg/util/podutils/podutils.go, ByLogging.
func byReadiness(a, b *corev1.Pod) int {
	rank := func(p *corev1.Pod) (n int) {
		if p.Spec.NodeName == "" {
			n += 8
		}
		switch p.Status.Phase {
		case corev1.PodPending:
			n += 4
		case corev1.PodRunning:
		default:
			n += 2
		}
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				return n
			}
		}
		return n + 1
	}
	if n := rank(a) - rank(b); n != 0 {
		return n
	}
	return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
}

// containerNames are all of a Pod's, as errors list them.
func containerNames(pod *corev1.Pod) string {
	var out []string
	for _, c := range pod.Spec.Containers {
		out = append(out, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		out = append(out, c.Name+" (ephem)")
	}
	for _, c := range pod.Spec.InitContainers {
		out = append(out, c.Name+" (init)")
	}
	return strings.Join(out, ", ")
}

// containersOf is the container that is meant, or all of them.
// Upstream: kubectl pkg/cmd/util/podcmd/podcmd.go, FindOrDefaultContainerByName.
func (s *session) containersOf(pod *corev1.Pod, name string, all bool) ([]string, error) {
	var known []string
	for _, c := range pod.Spec.InitContainers {
		known = append(known, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		known = append(known, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		known = append(known, c.Name)
	}
	if all {
		return known, nil
	}
	if name == "" {
		name = pod.Annotations[defaultContainer]
	}
	if name == "" {
		name = pod.Spec.Containers[0].Name
		if len(known) > 1 && !s.flags.yes("quiet") {
			s.complain(fmt.Sprintf("Defaulted container %q out of: %s", name, containerNames(pod)))
		}
	}
	if !slices.Contains(known, name) {
		return nil, fmt.Errorf("container %s is not valid for pod %s out of: %s", name, pod.Name, containerNames(pod))
	}
	return []string{name}, nil
}

// runExec is kubectl exec. Upstream: kubectl pkg/cmd/exec/exec.go, ExecOptions.Run.
func runExec(s *session) error {
	switch {
	case len(s.args) == 0:
		return errors.New("pod, type/name or --filename must be specified")
	case len(s.args) > 1:
		return errors.New("exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples")
	case len(s.rest) == 0:
		return errors.New("you must specify at least one command for the container")
	}
	pods, err := s.podsOf(s.args, "")
	if err != nil {
		return err
	}
	pod := pods[0]
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return fmt.Errorf("cannot exec into a container in a completed pod; current phase is %s", pod.Status.Phase)
	}
	names, err := s.containersOf(pod, s.flags.text("container"), false)
	if err != nil {
		return err
	}
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Create)
	r.Subresource, r.Exec = "exec", &client.ExecOptions{Container: names[0], Command: s.rest, Stdout: true, Stderr: true}
	if s.flags.yes("stdin") && s.terminal != nil {
		r.Exec.Stdin, r.Exec.TTY, r.Streams = true, s.flags.yes("tty"), true
		code, err := s.typeInto(r)
		if code != 0 {
			s.complain(code.Error())
			return errExit
		}
		return err
	}
	got, err := client.As[*client.Text](s.do(r))
	if apierrors.ReasonForError(err) != "" {
		return plain{err} // of which its client keeps the text alone
	}
	if err != nil {
		return err
	}
	s.printf("%s", got.Body+got.Stderr)
	if got.ExitCode != 0 {
		s.complain(fmt.Sprintf("command terminated with exit code %d", got.ExitCode))
		return errExit
	}
	return nil
}
