package kubectl

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
)

// runAttach is kubectl attach, which shows what a container prints from now on, until it ends or the next command is typed. With -i, a container whose
// program is a shell reads what is typed.
//
// Simplified: other programs read nothing.
// Upstream: kubectl pkg/cmd/attach/attach.go, AttachOptions.Validate and Run.
func runAttach(s *session) error {
	switch {
	case len(s.args) == 0:
		return errors.New("at least 1 argument is required for attach")
	case len(s.args) > 2:
		return fmt.Errorf("expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw %d: %v", len(s.args), s.args)
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
	return s.attach(pod, names[0])
}

// attach shows what a container prints from now on, and has it read what is typed, with -i. Upstream: attach.go, Run and reattachMessage.
func (s *session) attach(pod *corev1.Pod, container string) error {
	spec := containerNamed(pod, container)
	if s.flags.yes("tty") && !spec.TTY && !s.flags.yes("quiet") {
		s.complain(fmt.Sprintf("error: Unable to use a TTY - container %s did not allocate one", container))
	}
	if !s.flags.yes("quiet") {
		s.complain("All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed " +
			"through the command prompt.\nIf you don't see a command prompt, try pressing enter.")
	}
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Create)
	r.Subresource, r.Streams = "attach", true
	r.Exec = &client.ExecOptions{Container: container, Stdin: s.flags.yes("stdin"), Stdout: true, Stderr: true, TTY: spec.TTY}
	if _, err := s.typeInto(r); err != nil {
		return err
	}
	if !s.flags.yes("quiet") && spec.Stdin && s.flags.yes("stdin") && spec.TTY && pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		s.printf("Session ended, resume using 'kubectl attach %s -c %s -i -t' command when the pod is running\n", pod.Name, container)
	}
	return nil
}

// containerNamed is a container of a Pod, of whichever sort; an empty one if there is none.
func containerNamed(pod *corev1.Pod, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		if c := &pod.Spec.EphemeralContainers[i]; c.Name == name {
			return (*corev1.Container)(&c.EphemeralContainerCommon)
		}
	}
	return &corev1.Container{}
}
