package kubectl

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
)

// runAttach is kubectl attach, which shows what a container prints from now on, until it ends or the next command is typed.
//
// Simplified: there are no keys, so nothing can be typed into the container: -i and -t are refused.
// Upstream: kubectl pkg/cmd/attach/attach.go, AttachOptions.Validate and Run.
func runAttach(s *session) error {
	switch {
	case len(s.args) == 0:
		return errors.New("at least 1 argument is required for attach")
	case len(s.args) > 2:
		return fmt.Errorf("expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw %d: %v", len(s.args), s.args)
	case s.flags.yes("stdin") || s.flags.yes("tty"):
		return errors.New("there is no terminal here: leave out -i and -t")
	}
	name := s.args[0]
	if len(s.args) == 2 {
		name += "/" + s.args[1]
	}
	pods, err := s.podsOf([]string{name}, "")
	if err != nil {
		return err
	}
	pod := pods[0]
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return fmt.Errorf("cannot attach a container in a completed pod; current phase is %s", pod.Status.Phase)
	}
	names, err := s.containersOf(pod, s.flags.text("container"), false)
	if err != nil {
		return fmt.Errorf("cannot attach to the container: %w", err)
	}
	if !s.flags.yes("quiet") {
		s.complain("All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed " +
			"through the command prompt.\nIf you don't see a command prompt, try pressing enter.")
	}
	return s.attach(pod, names[0])
}

// attach shows what a container prints from now on.
func (s *session) attach(pod *corev1.Pod, container string) error {
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Create)
	r.Subresource, r.Exec, r.Streams = "attach", &client.ExecOptions{Container: container, Stdout: true, Stderr: true}, true
	got, err := client.As[*client.Text](s.do(r))
	if err != nil {
		return err
	}
	return s.followOutputs([]output{{got.Output, ""}})
}
