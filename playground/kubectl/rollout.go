package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// Annotations of Deployments and their ReplicaSets.
// Upstream: kubectl pkg/util/deployment/deployment.go, and polymorphichelpers/historyviewer.go.
const (
	revisionAnnotation = "deployment.kubernetes.io/revision"
	changeCause        = "kubernetes.io/change-cause"
	restartedAt        = "kubectl.kubernetes.io/restartedAt"
)

// keptAnnotations are not taken from an old ReplicaSet when a Deployment goes back to it.
// Upstream: polymorphichelpers/rollback.go, annotationsToSkip.
var keptAnnotations = []string{LastApplied, revisionAnnotation, "deployment.kubernetes.io/revision-history",
	"deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas", "deprecated.deployment.rollback.to"}

// eachRolled does something with every object that the command line is about.
func (s *session) eachRolled(do func(*info) error) error {
	infos, err := s.rolled()
	if err != nil {
		return err
	}
	return s.each(infos, s.fetching(do))
}

func (s *session) rolled() ([]*info, error) {
	if len(s.args) == 0 && !s.flags.has("filename") {
		return nil, errors.New("required resource not specified")
	}
	if len(s.args) == 1 && !strings.Contains(s.args[0], "/") && !s.flags.has("selector") {
		s.flags["all"] = []string{"true"} // a kind alone is all of it: ResourceTypeOrNameArgs(true, …)
	}
	infos, err := s.infos(s.args)
	if len(infos) == 0 && err == nil && s.name != "rollout undo" && s.name != "rollout history" {
		s.complain(fmt.Sprintf("No resources found in %s namespace.", s.namespace))
	}
	return infos, err
}

// rolloutStatus follows a rollout until it is done and says how far it is each
// time something changes.
// Upstream: kubectl pkg/cmd/rollout/rollout_status.go, RolloutStatusOptions.Run.
func rolloutStatus(s *session) error {
	if n := s.flags.number("revision", 0); n < 0 {
		return fmt.Errorf("revision must be a positive integer: %v", n)
	}
	timeout := s.flags.duration("timeout")
	if timeout == 0 {
		timeout = 168 * time.Hour
	}
	revision := s.flags.number("revision", 0)
	return s.eachRolled(func(i *info) error {
		return s.follow(i, s.p.Now()+timeout, func(obj api.Object) (bool, error) {
			if obj == nil {
				return true, errors.New("object has been deleted")
			}
			text, done, err := statusOf(obj, revision)
			if err != nil {
				return false, err
			}
			s.printf("%s\n", text)
			return done || !s.flags.yesOr("watch", true), nil
		})
	})
}

// statusOf is how far a rollout is, in words.
// Upstream: polymorphichelpers/rollout_status.go.
func statusOf(obj api.Object, revision int64) (text string, done bool, err error) {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return deploymentStatus(o, revision)
	case *appsv1.DaemonSet:
		return daemonSetStatus(o)
	case *appsv1.StatefulSet:
		return statefulSetStatus(o)
	}
	return "", false, fmt.Errorf("no status viewer has been implemented for %v", api.KindOf(obj).GroupKind())
}

func deploymentStatus(o *appsv1.Deployment, revision int64) (string, bool, error) {
	if revision > 0 {
		if is := revisionOf(o); is != revision {
			return "", false, fmt.Errorf("desired revision (%d) is different from the running revision (%d)", revision, is)
		}
	}
	st := &o.Status
	if o.Generation > st.ObservedGeneration {
		return "Waiting for deployment spec update to be observed...", false, nil
	}
	for _, c := range st.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded" {
			return "", false, fmt.Errorf("deployment %q exceeded its progress deadline", o.Name)
		}
	}
	head := fmt.Sprintf("Waiting for deployment %q rollout to finish: ", o.Name)
	switch {
	case o.Spec.Replicas != nil && st.UpdatedReplicas < *o.Spec.Replicas:
		return head + fmt.Sprintf("%d out of %d new replicas have been updated...", st.UpdatedReplicas, *o.Spec.Replicas), false, nil
	case st.Replicas > st.UpdatedReplicas:
		return head + fmt.Sprintf("%d old replicas are pending termination...", st.Replicas-st.UpdatedReplicas), false, nil
	case st.AvailableReplicas < st.UpdatedReplicas:
		return head + fmt.Sprintf("%d of %d updated replicas are available...", st.AvailableReplicas, st.UpdatedReplicas), false, nil
	}
	return fmt.Sprintf("deployment %q successfully rolled out", o.Name), true, nil
}

var errOnlyRollingUpdate = errors.New("rollout status is only available for RollingUpdate strategy type")

func daemonSetStatus(o *appsv1.DaemonSet) (string, bool, error) {
	st := &o.Status
	head := fmt.Sprintf("Waiting for daemon set %q rollout to finish: ", o.Name)
	switch {
	case o.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType:
		return "", true, errOnlyRollingUpdate
	case o.Generation > st.ObservedGeneration:
		return "Waiting for daemon set spec update to be observed...", false, nil
	case st.UpdatedNumberScheduled < st.DesiredNumberScheduled:
		return head + fmt.Sprintf("%d out of %d new pods have been updated...", st.UpdatedNumberScheduled, st.DesiredNumberScheduled), false, nil
	case st.NumberAvailable < st.DesiredNumberScheduled:
		return head + fmt.Sprintf("%d of %d updated pods are available...", st.NumberAvailable, st.DesiredNumberScheduled), false, nil
	}
	return fmt.Sprintf("daemon set %q successfully rolled out", o.Name), true, nil
}

func statefulSetStatus(o *appsv1.StatefulSet) (string, bool, error) {
	st, rolling := &o.Status, o.Spec.UpdateStrategy.RollingUpdate
	switch {
	case o.Spec.UpdateStrategy.Type != appsv1.RollingUpdateStatefulSetStrategyType:
		return "", true, errOnlyRollingUpdate
	case st.ObservedGeneration == 0 || o.Generation > st.ObservedGeneration:
		return "Waiting for statefulset spec update to be observed...", false, nil
	case o.Spec.Replicas != nil && st.ReadyReplicas < *o.Spec.Replicas:
		return fmt.Sprintf("Waiting for %d pods to be ready...", *o.Spec.Replicas-st.ReadyReplicas), false, nil
	case rolling != nil:
		if o.Spec.Replicas != nil && rolling.Partition != nil {
			if want := *o.Spec.Replicas - *rolling.Partition; st.UpdatedReplicas < want {
				return fmt.Sprintf("Waiting for partitioned roll out to finish: %d out of %d new pods have been updated...", st.UpdatedReplicas, want), false, nil
			}
		}
		return fmt.Sprintf("partitioned roll out complete: %d new pods have been updated...", st.UpdatedReplicas), true, nil
	case st.UpdateRevision != st.CurrentRevision:
		return fmt.Sprintf("waiting for statefulset rolling update to complete %d pods at revision %s...", st.UpdatedReplicas, st.UpdateRevision), false, nil
	}
	return fmt.Sprintf("statefulset rolling update complete %d pods at revision %s...", st.CurrentReplicas, st.CurrentRevision), true, nil
}

// revisionOf is a revision by its annotation; 0 without one.
func revisionOf(obj api.Object) int64 {
	n, _ := strconv.ParseInt(obj.GetAnnotations()[revisionAnnotation], 10, 64)
	return n
}

// version is one revision of a workload.
type version struct {
	number   int64
	cause    string
	template *corev1.PodTemplateSpec
	from     api.Object // the ReplicaSet or ControllerRevision that holds it
}

// versions are the revisions of a workload that are still known, oldest first.
// Upstream: polymorphichelpers/historyviewer.go.
func (s *session) versions(i *info) ([]version, error) {
	var selector *metav1.LabelSelector
	var held *api.Kind
	switch o := i.object.(type) {
	case *appsv1.Deployment:
		selector, held = o.Spec.Selector, api.KindOf(new(appsv1.ReplicaSet))
	case *appsv1.DaemonSet:
		selector, held = o.Spec.Selector, api.KindOf(new(appsv1.ControllerRevision))
	case *appsv1.StatefulSet:
		selector, held = o.Spec.Selector, api.KindOf(new(appsv1.ControllerRevision))
	default:
		return nil, fmt.Errorf("no history viewer has been implemented for %q", i.kind.GroupKind())
	}
	sel, err := labels.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, err
	}
	found, err := s.items(held, i.namespace, sel.String(), "")
	if err != nil {
		return nil, err
	}
	var out []version
	for _, obj := range found {
		if !metav1.IsControlledBy(obj, i.object) {
			continue
		}
		obj = obj.DeepCopyObject()
		v := version{cause: obj.GetAnnotations()[changeCause], from: obj}
		switch o := obj.(type) {
		case *appsv1.ReplicaSet:
			v.number, v.template = revisionOf(o), &o.Spec.Template
			if v.cause != "" && s.name == "rollout history" && !s.flags.has("output") {
				v.template.Annotations = with(v.template.Annotations, changeCause, v.cause)
			}
		case *appsv1.ControllerRevision:
			v.number, v.template = o.Revision, templateIn(o)
		}
		out = append(out, v)
	}
	sorting.Stable(out, func(a, b version) int { return int(a.number - b.number) })
	return out, nil
}

// with is a mapping with one more key.
func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// templateIn is the Pod template that a ControllerRevision's patch holds.
func templateIn(o *appsv1.ControllerRevision) *corev1.PodTemplateSpec {
	var patch struct {
		Spec struct {
			Template corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if decode(o.Data.Raw, &patch) != nil {
		return nil
	}
	return &patch.Spec.Template
}

// rolloutHistory is upstream's kubectl pkg/cmd/rollout/rollout_history.go.
func rolloutHistory(s *session) error {
	n := s.flags.number("revision", 0)
	if n < 0 {
		return fmt.Errorf("revision must be a positive integer: %v", n)
	}
	which, separator := "", ""
	if n > 0 {
		which = fmt.Sprintf("with revision #%d", n)
	}
	return s.eachRolled(func(i *info) error {
		all, err := s.versions(i)
		if err != nil {
			return err
		}
		o := s.flags.text("output")
		found := false
		for _, v := range all {
			switch {
			case n > 0 && v.number != n:
			case o != "":
				s.printf("%s", separator)
				whole := v.from
				if r, ok := whole.(*appsv1.ControllerRevision); ok {
					if whole, err = patchedLocally(i, types.StrategicMergePatchType, r.Data.Raw); err != nil {
						return err
					}
				}
				if err := s.print([]map[string]any{s.shown(whole)}, true); err != nil {
					return err
				}
				if found = true; o == "yaml" {
					separator = "---\n"
				}
			case n > 0:
				s.printf("%s %s\n%s", i.said(), which, describeTemplate(v.template))
				return nil
			}
		}
		switch {
		case n > 0 && !found && (o != "" || len(all) > 0):
			return fmt.Errorf("unable to find the specified revision")
		case o != "":
			return nil
		case len(all) == 0:
			s.printf("%s %s\nNo rollout history found.\n", i.said(), which)
			return nil
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s \nREVISION  CHANGE-CAUSE\n", i.said())
		for _, v := range all {
			cause := v.cause
			if cause == "" {
				cause = "<none>"
			}
			fmt.Fprintf(&b, "%-10d%s\n", v.number, cause)
		}
		s.printf("%s\n", b.String())
		return nil
	})
}

// rolloutUndo goes back to a revision: the template of then, as a new revision.
// Upstream: kubectl pkg/cmd/rollout/rollout_undo.go, and polymorphichelpers/rollback.go.
func rolloutUndo(s *session) error {
	to := s.flags.number("to-revision", 0)
	return s.eachRolled(func(i *info) error {
		if _, applied := i.object.GetAnnotations()[LastApplied]; applied {
			s.warn(fmt.Sprintf("resource %s/%s was previously managed with 'kubectl apply'. Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.", i.kind.Resource, i.name))
		}
		did, err := s.undo(i, to)
		if err != nil {
			return err
		}
		s.done(i.said(), did)
		return nil
	})
}

func (s *session) undo(i *info, to int64) (did string, err error) {
	if to < 0 {
		return "", fmt.Errorf("unable to find specified revision %v in history", to)
	}
	switch i.object.(type) {
	case *appsv1.Deployment, *appsv1.DaemonSet, *appsv1.StatefulSet:
	default:
		return "", fmt.Errorf("no rollbacker has been implemented for %q", i.kind.GroupKind())
	}
	all, err := s.versions(i)
	if err != nil {
		return "", err
	}
	back, err := chosen(i, all, to)
	if err != nil {
		return "", err
	}
	deployment, isDeployment := i.object.(*appsv1.Deployment)
	switch {
	case s.dryRun == "client" && isDeployment:
		return describeTemplate(back.template), nil
	case s.dryRun == "client":
		return "will roll back to " + describeTemplate(back.template), nil
	}
	if isDeployment && deployment.Spec.Paused {
		return "", errors.New("you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again")
	}
	if sameTemplate(back.template, templateOf(i.object)) {
		return fmt.Sprintf("skipped rollback (current template already matches revision %d)", to), nil
	}
	r := i.request(client.Patch)
	r.FieldManager = s.flags.or("field-manager", "kubectl-rollout")
	if isDeployment {
		r.PatchType, r.Patch = types.JSONPatchType, restorePatch(deployment, back)
	} else {
		r.PatchType, r.Patch = types.StrategicMergePatchType, back.from.(*appsv1.ControllerRevision).Data.Raw
	}
	if _, err := s.do(r); err != nil {
		return "", fmt.Errorf("failed restoring revision %d: %v", to, err)
	}
	return "rolled back", nil
}

// chosen is the revision to go back to: the last but one, unless a number is given.
func chosen(i *info, all []version, to int64) (version, error) {
	if to > 0 {
		for _, v := range all {
			if v.number == to {
				return v, nil
			}
		}
		return version{}, fmt.Errorf("unable to find specified revision %v in history", to)
	}
	if len(all) < 2 {
		if i.kind.Kind == "Deployment" {
			return version{}, fmt.Errorf("no rollout history found for deployment %q", i.name)
		}
		return version{}, errors.New("no last revision to roll back to")
	}
	return all[len(all)-2], nil
}

// restorePatch puts a template back. Annotations come from then, but those that are about the Deployment stay.
func restorePatch(d *appsv1.Deployment, back version) []byte {
	template := back.template.DeepCopy()
	delete(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	annotations := map[string]any{}
	for _, k := range keptAnnotations {
		if v, ok := d.Annotations[k]; ok {
			annotations[k] = v
		}
	}
	for k, v := range back.from.GetAnnotations() { // order: each has its own key
		if !slices.Contains(keptAnnotations, k) {
			annotations[k] = v
		}
	}
	return encode([]any{
		map[string]any{"op": "replace", "path": "/spec/template", "value": tree(template)},
		map[string]any{"op": "replace", "path": "/metadata/annotations", "value": annotations},
	})
}

// sameTemplate compares templates without the hash that a Deployment puts in.
func sameTemplate(a, b *corev1.PodTemplateSpec) bool {
	if a == nil || b == nil {
		return false
	}
	x, y := a.DeepCopy(), b.DeepCopy()
	delete(x.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	delete(y.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	return api.SemanticDeepEqual(x, y)
}

// rolloutPause, and the two below, change one field of the spec.
// Upstream: kubectl pkg/cmd/rollout/rollout_pause.go, and polymorphichelpers/objectpauser.go.
func rolloutPause(s *session) error {
	return s.eachChanged("paused", "kubectl-rollout", func(i *info, obj api.Object) error {
		d, ok := obj.(*appsv1.Deployment)
		switch {
		case !ok:
			return fmt.Errorf("pausing is not supported")
		case d.Spec.Paused:
			return errors.New("is already paused")
		}
		d.Spec.Paused = true
		return nil
	})
}

func rolloutResume(s *session) error {
	return s.eachChanged("resumed", "kubectl-rollout", func(i *info, obj api.Object) error {
		d, ok := obj.(*appsv1.Deployment)
		switch {
		case !ok:
			return fmt.Errorf("resuming is not supported")
		case !d.Spec.Paused:
			return errors.New("is not paused")
		}
		d.Spec.Paused = false
		return nil
	})
}

// rolloutRestart changes the template, by an annotation that says when.
func rolloutRestart(s *session) error {
	return s.eachChanged("restarted", "kubectl-rollout", func(i *info, obj api.Object) error {
		if d, ok := obj.(*appsv1.Deployment); ok && d.Spec.Paused {
			return errors.New("can't restart paused deployment (run rollout resume first)")
		}
		var t *corev1.PodTemplateSpec
		switch obj.(type) {
		case *appsv1.Deployment, *appsv1.DaemonSet, *appsv1.StatefulSet:
			t = templateOf(obj)
		default:
			return errors.New("restarting is not supported")
		}
		if t.Annotations == nil {
			t.Annotations = map[string]string{}
		}
		t.Annotations[restartedAt] = s.p.Time().UTC().Format(time.RFC3339)
		return nil
	})
}

// eachChanged changes a copy of each object and sends what is different.
// Upstream: kubectl pkg/cmd/set/helper.go, CalculatePatches.
func (s *session) eachChanged(did, manager string, mutate func(*info, api.Object) error) error {
	infos, err := s.rolled()
	if err != nil {
		return err
	}
	var failed, refused aggregate // what is not there comes first
	for _, i := range infos {
		err := s.fetching(func(i *info) error {
			changed := i.object.DeepCopyObject()
			if err := mutate(i, changed); err != nil {
				refused = append(refused, fmt.Errorf("error: %s %q %w", kindWord(i.kind), i.name, err))
				return nil
			}
			after, err := s.change(i, changed, manager)
			switch {
			case err != nil:
				refused = append(refused, fmt.Errorf("failed to patch: %v", err))
				return nil
			case after == nil:
				refused = append(refused, fmt.Errorf("failed to create patch for %v: if restart has already been triggered within the past second, "+
					"please wait before attempting to trigger another", i.name))
				return nil
			}
			return s.show(after, i, did)
		})(i)
		if err != nil {
			failed = append(failed, err)
		}
	}
	return append(failed, refused...).orNil()
}

// kindWord is "deployments.apps".
func kindWord(k *api.Kind) string { return k.GroupResource().String() }

// templateOf is the Pod template in an object, nil when it has none.
// Upstream: polymorphichelpers/updatepodspec.go.
func templateOf(obj api.Object) *corev1.PodTemplateSpec {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.ReplicaSet:
		return &o.Spec.Template
	case *appsv1.DaemonSet:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *corev1.ReplicationController:
		return o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}

// podSpecOf is the Pod spec that a command changes: of the Pod, or of the template.
func podSpecOf(obj api.Object) *corev1.PodSpec {
	if pod, ok := obj.(*corev1.Pod); ok {
		return &pod.Spec
	}
	if t := templateOf(obj); t != nil {
		return &t.Spec
	}
	return nil
}
