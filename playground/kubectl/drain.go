package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// How long drain waits before it asks again: for an eviction that was refused,
// and for a Pod's end. Upstream: kubectl pkg/drain/drain.go.
const (
	evictRetryDelay = 5 * time.Second
	deletedInterval = time.Second
)

func runCordon(s *session) error   { return s.cordonAll(true) }
func runUncordon(s *session) error { return s.cordonAll(false) }

func (s *session) cordonAll(desired bool) error {
	nodes, err := s.nodes()
	if err != nil {
		return err
	}
	return s.cordon(nodes, desired)
}

// nodes are those that the arguments name.
func (s *session) nodes() ([]*info, error) {
	k := api.KindOf(new(corev1.Node))
	if len(s.args) == 0 && !s.flags.has("selector") {
		return nil, fmt.Errorf("USAGE: %s NODE [flags]\nSee 'kubectl %[1]s -h' for help and examples", s.name)
	}
	if len(s.args) > 0 && s.flags.has("selector") {
		return nil, errors.New("error: cannot specify both a node name and a --selector option\nSee 'kubectl " + s.name + " -h' for help and examples")
	}
	var args []string
	for _, a := range s.args {
		if kind, name, slash := strings.Cut(a, "/"); slash {
			if named := s.resolve(kind); named != k {
				if named != nil {
					kind = named.GroupVersionResource().String()
				}
				return nil, fmt.Errorf("error: expected resource of type node, got %q", kind)
			}
			a = name
		}
		args = append(args, a)
	}
	infos, err := s.fetched(append([]string{"nodes"}, args...))
	if all, several := err.(aggregate); several {
		err = all[0] // it doesn't go on
	}
	return infos, err
}

// cordon is upstream's kubectl pkg/cmd/drain/drain.go, RunCordonOrUncordon.
func (s *session) cordon(nodes []*info, desired bool) error {
	word := "uncordon"
	if desired {
		word = "cordon"
	}
	for _, i := range nodes {
		node := i.object.DeepCopyObject().(*corev1.Node)
		if node.Spec.Unschedulable == desired {
			s.done(i.said(), "already "+word+"ed")
			continue
		}
		node.Spec.Unschedulable = desired
		if _, err := s.change(i, node, "kubectl-"+strings.Fields(s.name)[0]); err != nil {
			s.complain(fmt.Sprintf("error: unable to %s node %q: %v", word, i.name, err))
			continue
		}
		s.done(i.said(), word+"ed")
	}
	return nil
}

// runDrain cordons nodes and then evicts their Pods.
// Upstream: kubectl pkg/cmd/drain/drain.go, RunDrain.
func runDrain(s *session) error {
	if _, err := labels.Parse(s.flags.text("pod-selector")); err != nil && (len(s.args) > 0 || s.flags.has("selector")) {
		return errors.New("--pod-selector=<pod_selector> must be a valid label selector")
	}
	nodes, err := s.nodes()
	if err != nil {
		return err
	}
	if err := s.cordon(nodes, true); err != nil {
		return err
	}
	var failed aggregate
	var remaining []string
	for _, i := range nodes {
		if err := s.drain(i); err != nil {
			s.complain(fmt.Sprintf("error: unable to drain node %q due to error: %v, continuing command...", i.name, err))
			failed, remaining = append(failed, err), append(remaining, i.name)
			continue
		}
		s.done(i.said(), "drained")
	}
	if len(remaining) > 0 {
		s.complain("There are pending nodes to be drained:\n " + strings.Join(remaining, "\n "))
	}
	return failed.orNil()
}

func (s *session) drain(node *info) error {
	pods, err := s.podsForDeletion(node.name)
	if err != nil {
		return err
	}
	if s.dryRun == "client" {
		for _, pod := range pods {
			s.printf("evicting pod %s/%s (dry run)\n", pod.Namespace, pod.Name)
		}
		return nil
	}
	end := time.Duration(-1)
	if t := s.flags.duration("timeout"); t > 0 {
		end = s.p.Now() + t
	}
	failed := make([]error, len(pods))
	// Each Pod is evicted on its own: one that has to wait does not hold up the others.
	process := s.p
	process.Fork("evict", len(pods), func(p *sim.Proc, n int) {
		one := *s
		one.p = p
		failed[n] = one.evictPod(s, pods[n], end)
	})
	var all aggregate
	for _, err := range failed {
		if err != nil {
			all = append(all, err)
		}
	}
	err = all.orNil()
	if err != nil {
		s.pending(node.name, err)
	}
	return err
}

func (s *session) pending(node string, err error) {
	pods, _ := s.podsForDeletion(node)
	if len(pods) == 0 {
		return
	}
	text := fmt.Sprintf("There are pending pods in node %q when an error occurred: %v", node, err)
	for _, pod := range pods {
		text += "\npod/" + pod.Name
	}
	s.complain(text)
}

// podsForDeletion are the Pods of a node that drain has to end.
// Upstream: kubectl pkg/drain/drain.go, GetPodsForDeletion, and filters.go.
func (s *session) podsForDeletion(node string) ([]*corev1.Pod, error) {
	found, err := s.items(podKind, metav1.NamespaceAll, s.flags.text("pod-selector"), "spec.nodeName="+node)
	if err != nil {
		return nil, err
	}
	var out []*corev1.Pod
	var warnings, errs grouped
	for _, obj := range found {
		pod := obj.(*corev1.Pod)
		verdict, err := s.drainable(pod)
		if err != nil {
			return nil, err
		}
		name := pod.Namespace + "/" + pod.Name
		switch {
		case verdict.fatal:
			errs.add(verdict.message, name)
		case verdict.message != "":
			warnings.add(verdict.message, name)
		}
		if verdict.evict {
			out = append(out, pod)
		}
	}
	if len(errs) > 0 {
		var all aggregate
		for _, g := range errs {
			all = append(all, fmt.Errorf("cannot delete %s: %s", g.message, strings.Join(g.names, ", ")))
		}
		return nil, all
	}
	if len(warnings) > 0 {
		var all []string
		for _, g := range warnings {
			all = append(all, g.message+": "+strings.Join(g.names, ", "))
		}
		s.warn(strings.Join(all, "; "))
	}
	return out, nil
}

// grouped are names under what is said of them, in the order of the first of each.
type grouped []*struct {
	message string
	names   []string
}

func (g *grouped) add(message, name string) {
	for _, e := range *g {
		if e.message == message {
			e.names = append(e.names, name)
			return
		}
	}
	*g = append(*g, &struct {
		message string
		names   []string
	}{message, []string{name}})
}

// verdict is what drain does with a Pod.
type verdict struct {
	evict, fatal bool
	message      string
}

func (s *session) drainable(pod *corev1.Pod) (verdict, error) {
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	force := s.flags.yes("force")
	if n := s.flags.number("skip-wait-for-delete-timeout", 0); n > 0 && pod.DeletionTimestamp != nil &&
		s.p.Time().Sub(pod.DeletionTimestamp.Time) > time.Duration(n)*time.Second {
		return verdict{}, nil
	}
	out := verdict{evict: true}
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner != nil && owner.Kind == "DaemonSet" && owner.APIVersion == "apps/v1" && !over {
		_, err := s.object(&client.Request{Verb: client.Get, Resource: api.KindOf(new(appsv1.DaemonSet)).GroupVersionResource(), Namespace: pod.Namespace,
			Name: owner.Name})
		switch {
		case apierrors.IsNotFound(err) && force:
			out.message = err.Error()
		case err != nil:
			return verdict{fatal: true, message: err.Error()}, nil
		case !s.flags.yes("ignore-daemonsets"):
			return verdict{fatal: true, message: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"}, nil
		default:
			return verdict{message: "ignoring DaemonSet-managed Pods"}, nil
		}
	}
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return verdict{}, nil
	}
	// That Pods with local storage are deleted, nobody is told: what the next filter says takes its place.
	local := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
	if local && !over {
		if !s.flags.yes("delete-emptydir-data") {
			return verdict{fatal: true, message: "Pods with local storage (use --delete-emptydir-data to override)"}, nil
		}
	}
	out.message = "" // likewise
	if owner == nil && !over {
		if !force {
			return verdict{fatal: true, message: "Pods that declare no controller (use --force to override)"}, nil
		}
		out.message = "deleting Pods that declare no controller"
	}
	return out, nil
}

// evictPod asks for an eviction, again and again while a disruption budget
// refuses it, and waits until the Pod is gone. of is the command that it is part of.
// Upstream: kubectl pkg/drain/drain.go, evictPods.
func (s *session) evictPod(of *session, pod *corev1.Pod, end time.Duration) error {
	print := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		of.out.WriteString(text + "\n")
		s.p.Logger().Info(text)
	}
	late := func() bool { return end >= 0 && s.p.Now() >= end }
	timeout := s.flags.duration("timeout")
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name, object: pod}
	uid := string(pod.UID)
	if s.flags.yes("disable-eviction") {
		r := i.request(client.Delete)
		r.Delete = metav1.DeleteOptions{GracePeriodSeconds: s.evictionGrace()}
		if _, err := s.do(r); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	for !s.flags.yes("disable-eviction") {
		dry := ""
		if s.dryRun == "server" {
			dry = " (server dry run)"
		}
		print("evicting pod %s/%s%s", pod.Namespace, pod.Name, dry)
		if late() {
			return fmt.Errorf("error when evicting pods/%q -n %q: global timeout reached: %v", pod.Name, pod.Namespace, timeout)
		}
		err := s.evict(i)
		if err == nil {
			break
		}
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case apierrors.IsTooManyRequests(err):
			text := fmt.Sprintf("error when evicting pods/%q -n %q (will retry after %v): %v", pod.Name, pod.Namespace, evictRetryDelay, err)
			of.complain(text)
			s.p.Logger().Info(text)
			s.p.Sleep(evictRetryDelay)
		default:
			return fmt.Errorf("error when evicting pods/%q -n %q: %v", pod.Name, pod.Namespace, err)
		}
	}
	for ; s.dryRun == ""; s.p.Sleep(deletedInterval) {
		got, err := s.object(i.request(client.Get))
		if apierrors.IsNotFound(err) || err == nil && string(got.GetUID()) != uid {
			did := "evicted"
			if s.flags.yes("disable-eviction") {
				did = "deleted"
			}
			print("pod/%s %s", pod.Name, did)
			return nil
		}
		if err == nil && late() {
			err = fmt.Errorf("global timeout reached: %v", timeout)
		}
		if err != nil {
			return fmt.Errorf("error when waiting for pod %q in namespace %q to terminate: %v", pod.Name, pod.Namespace, err)
		}
	}
	return nil
}

func (s *session) evictionGrace() *int64 {
	if n := s.flags.number("grace-period", -1); n >= 0 {
		return &n
	}
	return nil
}

func (s *session) evict(i *info) error {
	eviction := &policyv1.Eviction{}
	eviction.Name, eviction.Namespace = i.name, i.namespace
	if grace := s.evictionGrace(); grace != nil {
		eviction.DeleteOptions = &metav1.DeleteOptions{GracePeriodSeconds: grace}
	}
	r := i.request(client.Create)
	r.Subresource, r.Object = "eviction", eviction
	_, err := s.do(r)
	return err
}
