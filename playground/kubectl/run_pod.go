package kubectl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
)

// runRun is kubectl run: one Pod. Upstream: kubectl pkg/cmd/run/run.go, RunOptions.Run,
// and pkg/generate/versioned/run.go, BasicPod.
func runRun(s *session) error {
	switch {
	case !s.flags.has("image"):
		return errors.New(`required flag(s) "image" not set`)
	case len(s.args) == 0:
		return errors.New("NAME is required for run\nSee 'kubectl run -h' for help and examples")
	case s.flags.text("image") == "":
		return errors.New("--image is required")
	case !validImage(s.flags.text("image")):
		return fmt.Errorf("Invalid image name %q: invalid reference format", s.flags.text("image"))
	case s.flags.yes("expose") && s.flags.text("port") == "":
		return errors.New("--port must be set when exposing a service\nSee 'kubectl run -h' for help and examples")
	case s.flags.yes("tty") && !s.flags.yes("stdin"):
		return errors.New("-i/--stdin is required for containers with -t/--tty=true\nSee 'kubectl run -h' for help and examples")
	}
	attach := s.flags.yesOr("attach", s.flags.yes("stdin"))
	switch {
	case s.flags.yes("rm") && !attach:
		return errors.New("--rm should only be used for attached containers\nSee 'kubectl run -h' for help and examples")
	case attach && s.dryRun != "":
		return errors.New("--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)\n" +
			"See 'kubectl run -h' for help and examples")
	}
	switch policy := corev1.PullPolicy(s.flags.text("image-pull-policy")); policy {
	case "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever:
	default:
		return fmt.Errorf("invalid image pull policy: %s\nSee 'kubectl run -h' for help and examples", policy)
	}
	name := s.args[0]
	words := append(append([]string{}, s.args[1:]...), s.rest...)
	pod := &corev1.Pod{}
	pod.Name = name
	pod.Labels = map[string]string{"run": name}
	if text := s.flags.text("labels"); text != "" {
		var err error
		if pod.Labels, err = labelPairs(text); err != nil {
			return err
		}
	}
	for _, a := range s.flags.all("annotations") {
		key, value, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("invalid annotations format: %v", a)
		}
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[key] = value
	}
	c := corev1.Container{Name: name, Image: s.flags.text("image"), ImagePullPolicy: corev1.PullPolicy(s.flags.text("image-pull-policy")),
		Stdin: s.flags.yes("stdin"), StdinOnce: s.flags.yes("stdin"), TTY: s.flags.yes("tty")}
	if s.flags.yes("command") {
		c.Command = words
	} else {
		c.Args = words
	}
	if text := s.flags.text("port"); text != "" {
		port, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		c.Ports = []corev1.ContainerPort{{ContainerPort: int32(port)}}
	}
	for _, e := range s.flags.all("env") {
		key, value, ok := strings.Cut(e, "=")
		if !ok || variableName(key) != nil {
			return fmt.Errorf("invalid env: %v", e)
		}
		c.Env = append(c.Env, corev1.EnvVar{Name: key, Value: value})
	}
	if s.flags.yes("privileged") {
		yes := true
		c.SecurityContext = &corev1.SecurityContext{Privileged: &yes}
	}
	pod.Spec.Containers, pod.Spec.DNSPolicy = []corev1.Container{c}, corev1.DNSClusterFirst
	switch policy := corev1.RestartPolicy(s.flags.or("restart", "Always")); policy {
	case corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
		pod.Spec.RestartPolicy = policy
	default:
		return fmt.Errorf("invalid restart policy: %s\nSee 'kubectl run -h' for help and examples", policy)
	}
	if text := s.flags.text("overrides"); text != "" {
		var err error
		if pod, err = overridden(pod, text); err != nil {
			return err
		}
	}
	manager := s.flags
	if !manager.has("field-manager") {
		s.flags["field-manager"] = []string{"kubectl-run"}
	}
	if attach {
		return s.runAttached(pod)
	}
	show, err := s.generated(pod, "")
	if err != nil {
		return err
	}
	if !s.flags.yes("expose") {
		return show()
	}
	svc := &corev1.Service{}
	svc.Name, svc.Spec.Selector = name, pod.Labels
	port := c.Ports[0].ContainerPort
	svc.Spec.Ports = []corev1.ServicePort{{Port: port, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(port)}}
	failed := s.generate(svc, "") // which it says first
	if err := show(); err != nil {
		return err
	}
	return failed
}

// validImage says whether text is an image's name. Upstream: github.com/distribution/reference, ReferenceRegexp.
func validImage(text string) bool {
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	only := func(text, set string) bool { return text != "" && strings.Trim(text, set) == "" }
	ends := func(text, set string) bool { // it is of such a character at both ends
		return text != "" && strings.Contains(set, text[:1]) && strings.Contains(set, text[len(text)-1:])
	}
	name, digest, has := strings.Cut(text, "@")
	if algorithm, hex, _ := strings.Cut(digest, ":"); has && (!only(algorithm, digits+lower+upper+"-_+.") || len(hex) < 32 || !only(hex, digits+"abcdefABCDEF")) {
		return false
	}
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		tag := name[i+1:]
		if !only(tag, digits+lower+upper+"_.-") || strings.Contains(".-", tag[:1]) || len(tag) > 128 {
			return false
		}
		name = name[:i]
	}
	for n, part := range strings.Split(name, "/") {
		domain, port, colon := strings.Cut(part, ":")
		if n == 0 && strings.Contains(name, "/") && only(domain, digits+lower+upper+"-.") && ends(domain, digits+lower+upper) && (!colon || only(port, digits)) {
			continue
		}
		if !only(part, digits+lower+"._-") || !ends(part, digits+lower) || strings.Contains(part, "..") || strings.Contains(part, "___") {
			return false
		}
	}
	return true
}

// runAttached creates a Pod, attaches to it, and tells how it ended. With --rm it deletes the Pod then.
//
// Simplified: --expose is absent with --attach.
// Upstream: run.go, RunOptions.Run, its second half.
func (s *session) runAttached(pod *corev1.Pod) error {
	if s.flags.yes("expose") {
		return errors.New("--expose with --attach is absent here: kubectl expose pod makes the Service")
	}
	api.SetKind(pod)
	i := &info{kind: podKind, namespace: s.namespace, name: pod.Name, tree: tree(pod)}
	inside(i.tree, "metadata")["namespace"] = s.namespace
	made, err := s.create(i, s.flags.text("field-manager"))
	if err != nil {
		return err
	}
	if s.flags.yes("rm") {
		defer func() {
			if s.stopped {
				return
			}
			if _, err := s.delete(i, metav1.DeleteOptions{}); err == nil {
				s.sayDeleted(i, -1)
			}
		}()
	}
	if err := s.attachWhenRunning(made.(*corev1.Pod), pod.Spec.Containers[0].Name); err != nil || s.stopped || pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return err
	}
	var ended *corev1.Pod
	err = s.follow(i, s.p.Now()+time.Minute, func(obj api.Object) (bool, error) {
		now, ok := obj.(*corev1.Pod)
		if !ok {
			return false, fmt.Errorf("pods %q not found", pod.Name)
		}
		ended = now
		return now.Status.Phase == corev1.PodSucceeded || now.Status.Phase == corev1.PodFailed && pod.Spec.RestartPolicy == corev1.RestartPolicyNever, nil
	})
	if err != nil || ended.Status.Phase == corev1.PodSucceeded {
		return err
	}
	var t *corev1.ContainerStateTerminated
	if len(ended.Status.ContainerStatuses) > 0 {
		t = ended.Status.ContainerStatuses[0].State.Terminated
	}
	if t == nil || t.ExitCode == 0 {
		return fmt.Errorf("pod %s/%s failed with unknown exit code", ended.Namespace, ended.Name)
	}
	s.complain(fmt.Sprintf("pod %s/%s terminated (%s)\n%s", ended.Namespace, ended.Name, t.Reason, t.Message))
	return errExit
}

// labelPairs reads "a=b,c=d". Upstream: kubectl pkg/generate/generate.go, ParseLabels.
func labelPairs(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || strings.Contains(value, "="):
			return nil, fmt.Errorf("unexpected label spec: %s", pair)
		case key == "":
			return nil, errors.New("unexpected empty label key")
		}
		out[key] = value
	}
	return out, nil
}

// overridden is a Pod with a JSON merge patch applied: --overrides.
// Upstream: kubectl pkg/cmd/util/override_options.go, OverrideOptions.NewOverrider.
func overridden(pod *corev1.Pod, patch string) (*corev1.Pod, error) {
	before, err := api.Encode(pod)
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, []byte(patch))
	if err != nil {
		return nil, err
	}
	out := &corev1.Pod{}
	_, err = api.DecodeInto(after, out)
	return out, err
}
