package printers

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
)

// layoutContainerCells are the names and the images of containers.
// Upstream: printers.go, the function of that name.
func layoutContainerCells(containers []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range containers {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

// formatLabelSelector is a selector as kubectl takes it.
// Upstream: apimachinery/pkg/apis/meta/v1/helpers.go, FormatLabelSelector.
func formatLabelSelector(s *metav1.LabelSelector) string {
	selector, err := labels.LabelSelectorAsSelector(s)
	if err != nil {
		return "<error>"
	}
	return or(selector.String(), "<none>")
}

func (p printer) printReplicationController(o *corev1.ReplicationController) []any {
	names, images := "", ""
	if o.Spec.Template != nil {
		names, images = layoutContainerCells(o.Spec.Template.Spec.Containers)
	}
	return []any{o.Name, number(o.Spec.Replicas), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas), p.created(o),
		names, images, labels.FormatLabels(o.Spec.Selector)}
}

func (p printer) printReplicaSet(o *appsv1.ReplicaSet) []any {
	names, images := layoutContainerCells(o.Spec.Template.Spec.Containers)
	return []any{o.Name, number(o.Spec.Replicas), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas), p.created(o),
		names, images, formatLabelSelector(o.Spec.Selector)}
}

func (p printer) printDeployment(o *appsv1.Deployment) []any {
	names, images := layoutContainerCells(o.Spec.Template.Spec.Containers)
	selector := "<invalid>"
	if s, err := labels.LabelSelectorAsSelector(o.Spec.Selector); err == nil {
		selector = s.String()
	}
	return []any{o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, number(o.Spec.Replicas)), int64(o.Status.UpdatedReplicas),
		int64(o.Status.AvailableReplicas), p.created(o), names, images, selector}
}

func (p printer) printStatefulSet(o *appsv1.StatefulSet) []any {
	names, images := layoutContainerCells(o.Spec.Template.Spec.Containers)
	return []any{o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, number(o.Spec.Replicas)), p.created(o), names, images}
}

func (p printer) printDaemonSet(o *appsv1.DaemonSet) []any {
	names, images := layoutContainerCells(o.Spec.Template.Spec.Containers)
	s := &o.Status
	return []any{o.Name, int64(s.DesiredNumberScheduled), int64(s.CurrentNumberScheduled), int64(s.NumberReady), int64(s.UpdatedNumberScheduled),
		int64(s.NumberAvailable), labels.FormatLabels(o.Spec.Template.Spec.NodeSelector), p.created(o), names, images, formatLabelSelector(o.Spec.Selector)}
}

func (p printer) printControllerRevision(o *appsv1.ControllerRevision) []any {
	controller := "<none>"
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
		kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
		controller = strings.ToLower(kind.String()) + "/" + ref.Name
	}
	return []any{o.Name, controller, o.Revision, p.created(o)}
}

// jobStatuses are what a Job's STATUS can be, the first that applies.
// Upstream: printers.go, printJob.
var jobStatuses = []struct {
	condition batchv1.JobConditionType
	status    string
}{
	{batchv1.JobComplete, "Complete"}, {batchv1.JobFailed, "Failed"}, {"", "Terminating"}, {batchv1.JobSuspended, "Suspended"},
	{batchv1.JobFailureTarget, "FailureTarget"}, {batchv1.JobSuccessCriteriaMet, "SuccessCriteriaMet"},
}

func jobStatus(o *batchv1.Job) string {
	for _, s := range jobStatuses {
		if s.condition == "" {
			if o.DeletionTimestamp != nil {
				return s.status
			}
			continue
		}
		for _, c := range o.Status.Conditions {
			if c.Type == s.condition && c.Status == corev1.ConditionTrue {
				return s.status
			}
		}
	}
	return "Running"
}

func (p printer) printJob(o *batchv1.Job) []any {
	completions := fmt.Sprintf("%d/1", o.Status.Succeeded)
	if o.Spec.Completions != nil {
		completions = fmt.Sprintf("%d/%d", o.Status.Succeeded, *o.Spec.Completions)
	} else if n := number(o.Spec.Parallelism); n > 1 {
		completions = fmt.Sprintf("%d/1 of %d", o.Status.Succeeded, n)
	}
	took := ""
	switch start, end := o.Status.StartTime, o.Status.CompletionTime; {
	case start == nil:
	case end == nil:
		took = duration.HumanDuration(p.now.Sub(start.Time))
	default:
		took = duration.HumanDuration(end.Sub(start.Time))
	}
	names, images := layoutContainerCells(o.Spec.Template.Spec.Containers)
	return []any{o.Name, jobStatus(o), completions, took, p.created(o), names, images, formatLabelSelector(o.Spec.Selector)}
}

func (p printer) printCronJob(o *batchv1.CronJob) []any {
	last, suspend := "<none>", "<unset>"
	if t := o.Status.LastScheduleTime; t != nil {
		last = p.age(t.Time)
	}
	if o.Spec.Suspend != nil {
		suspend = "False"
		if *o.Spec.Suspend {
			suspend = "True"
		}
	}
	job := &o.Spec.JobTemplate.Spec
	names, images := layoutContainerCells(job.Template.Spec.Containers)
	return []any{o.Name, o.Spec.Schedule, some(o.Spec.TimeZone, "<none>"), suspend, int64(len(o.Status.Active)), last, p.created(o),
		names, images, formatLabelSelector(job.Selector)}
}
