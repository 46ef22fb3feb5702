package kubectl

import (
	"fmt"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
)

func int32Or(n *int32, otherwise int32) int32 {
	if n == nil {
		return otherwise
	}
	return *n
}

// deployment is upstream's describe.go, describeDeployment.
func (d *describer) deployment(o *appsv1.Deployment) {
	st := &o.Status
	d.head(&o.ObjectMeta, true)
	d.line(0, "CreationTimestamp:\t%s", clock(o.CreationTimestamp))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Selector:\t%s", bareSelector(o.Spec.Selector))
	d.line(0, "Replicas:\t%d desired | %d updated | %d total | %d available | %d unavailable", int32Or(o.Spec.Replicas, 1), st.UpdatedReplicas, st.Replicas,
		st.AvailableReplicas, st.UnavailableReplicas)
	d.line(0, "StrategyType:\t%s", o.Spec.Strategy.Type)
	d.line(0, "MinReadySeconds:\t%d", o.Spec.MinReadySeconds)
	if ru := o.Spec.Strategy.RollingUpdate; ru != nil {
		d.line(0, "RollingUpdateStrategy:\t%s max unavailable, %s max surge", ru.MaxUnavailable.String(), ru.MaxSurge.String())
	}
	d.podTemplate(&o.Spec.Template)
	var rows [][3]string
	for _, c := range st.Conditions {
		rows = append(rows, [3]string{string(c.Type), string(c.Status), c.Reason})
	}
	d.conditions(rows)
	d.replicaSets(o)
}

func (d *describer) conditions(rows [][3]string) {
	if len(rows) == 0 {
		return
	}
	d.line(0, "Conditions:")
	d.line(1, "Type\tStatus\tReason")
	d.line(1, "----\t------\t------")
	for _, r := range rows {
		d.line(1, "%s \t%s\t%s", r[0], r[1], r[2])
	}
}

// replicaSets tells the new ReplicaSet of a Deployment from the old ones.
func (d *describer) replicaSets(o *appsv1.Deployment) {
	sel, err := labels.LabelSelectorAsSelector(o.Spec.Selector)
	if err != nil {
		return
	}
	found, err := d.items(api.KindOf(new(appsv1.ReplicaSet)), o.Namespace, sel.String(), "")
	if err != nil {
		return
	}
	var old, current []string
	for _, obj := range found {
		rs := obj.(*appsv1.ReplicaSet)
		if !metav1.IsControlledBy(rs, o) {
			continue
		}
		text := fmt.Sprintf("%s (%d/%d replicas created)", rs.Name, rs.Status.Replicas, int32Or(rs.Spec.Replicas, 1))
		if sameTemplate(&rs.Spec.Template, &o.Spec.Template) && len(current) == 0 {
			current = append(current, text)
		} else {
			old = append(old, text)
		}
	}
	if len(old)+len(current) > 0 {
		d.line(0, "OldReplicaSets:\t%s", none(strings.Join(old, ", ")))
		d.line(0, "NewReplicaSet:\t%s", none(strings.Join(current, ", ")))
	}
}

// bareSelector is a selector as text, "" for all.
func bareSelector(s *metav1.LabelSelector) string {
	sel, err := labels.LabelSelectorAsSelector(s)
	if err != nil {
		return "Failed to get selector: " + err.Error()
	}
	return sel.String()
}

// podsStatus counts the Pods of a controller by phase.
// Upstream: describe.go, getPodStatusForController.
func (d *describer) podsStatus(o api.Object, selector *metav1.LabelSelector) {
	count := map[corev1.PodPhase]int{}
	if sel, err := labels.LabelSelectorAsSelector(selector); err == nil {
		found, err := d.items(podKind, o.GetNamespace(), sel.String(), "")
		if err != nil {
			d.line(0, "Pods Status:\terror in fetching pods: %v", err)
			return
		}
		for _, obj := range found {
			if metav1.IsControlledBy(obj, o) {
				count[obj.(*corev1.Pod).Status.Phase]++
			}
		}
	}
	d.line(0, "Pods Status:\t%d Running / %d Waiting / %d Succeeded / %d Failed",
		count[corev1.PodRunning], count[corev1.PodPending], count[corev1.PodSucceeded], count[corev1.PodFailed])
}

// replicaSet is upstream's describe.go, describeReplicaSet.
func (d *describer) replicaSet(o *appsv1.ReplicaSet) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "Selector:\t%s", selectorText(o.Spec.Selector))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.controlledBy(o)
	d.line(0, "Replicas:\t%d current / %d desired", o.Status.Replicas, int32Or(o.Spec.Replicas, 1))
	d.podsStatus(o, o.Spec.Selector)
	d.podTemplate(&o.Spec.Template)
	var rows [][3]string
	for _, c := range o.Status.Conditions {
		rows = append(rows, [3]string{string(c.Type), string(c.Status), c.Reason})
	}
	d.conditions(rows)
}

// daemonSet is upstream's describe.go, describeDaemonSet.
func (d *describer) daemonSet(o *appsv1.DaemonSet) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "Selector:\t%s", bareSelector(o.Spec.Selector))
	d.line(0, "Node-Selector:\t%s", formatLabels(o.Spec.Template.Spec.NodeSelector))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	st := &o.Status
	d.line(0, "Desired Number of Nodes Scheduled: %d", st.DesiredNumberScheduled)
	d.line(0, "Current Number of Nodes Scheduled: %d", st.CurrentNumberScheduled)
	d.line(0, "Number of Nodes Scheduled with Up-to-date Pods: %d", st.UpdatedNumberScheduled)
	d.line(0, "Number of Nodes Scheduled with Available Pods: %d", st.NumberAvailable)
	d.line(0, "Number of Nodes Misscheduled: %d", st.NumberMisscheduled)
	d.podsStatus(o, o.Spec.Selector)
	d.podTemplate(&o.Spec.Template)
}

// statefulSet is upstream's describe.go, describeStatefulSet.
func (d *describer) statefulSet(o *appsv1.StatefulSet) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "CreationTimestamp:\t%s", clock(o.CreationTimestamp))
	d.line(0, "Selector:\t%s", bareSelector(o.Spec.Selector))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Replicas:\t%d desired | %d total", int32Or(o.Spec.Replicas, 1), o.Status.Replicas)
	d.line(0, "Update Strategy:\t%s", o.Spec.UpdateStrategy.Type)
	if ru := o.Spec.UpdateStrategy.RollingUpdate; ru != nil && ru.Partition != nil {
		d.line(1, "Partition:\t%d", *ru.Partition)
		if ru.MaxUnavailable != nil {
			d.line(1, "MaxUnavailable:\t%s", ru.MaxUnavailable.String())
		}
	}
	d.podsStatus(o, o.Spec.Selector)
	d.podTemplate(&o.Spec.Template)
	if len(o.Spec.VolumeClaimTemplates) == 0 {
		d.line(0, "Volume Claims:\t<none>")
		return
	}
	d.line(0, "Volume Claims:")
	for n := range o.Spec.VolumeClaimTemplates {
		c := &o.Spec.VolumeClaimTemplates[n]
		class := ""
		if c.Spec.StorageClassName != nil {
			class = *c.Spec.StorageClassName
		}
		d.line(1, "Name:\t%s", c.Name)
		d.line(1, "StorageClass:\t%s", class)
		d.multiline("  ", "Labels", "\t", "=", c.Labels)
		d.multiline("  ", "Annotations", "\t", "=", c.Annotations)
		if q, ok := c.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
			d.line(1, "Capacity:\t%s", q.String())
		} else {
			d.line(1, "Capacity:\t<default>")
		}
		d.line(1, "Access Modes:\t%v", c.Spec.AccessModes)
	}
}

// job is upstream's describe.go, describeJob.
func (d *describer) job(o *batchv1.Job) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "Selector:\t%s", bareSelector(o.Spec.Selector))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.controlledBy(o)
	sp, st := &o.Spec, &o.Status
	if sp.Parallelism != nil {
		d.line(0, "Parallelism:\t%d", *sp.Parallelism)
	}
	d.line(0, "Completions:\t%s", unset(sp.Completions, ""))
	indexed := sp.CompletionMode != nil && *sp.CompletionMode == batchv1.IndexedCompletion
	if sp.CompletionMode != nil {
		d.line(0, "Completion Mode:\t%s", *sp.CompletionMode)
	}
	if sp.Suspend != nil {
		d.line(0, "Suspend:\t%v", *sp.Suspend)
	}
	if sp.BackoffLimit != nil {
		d.line(0, "Backoff Limit:\t%v", *sp.BackoffLimit)
	}
	if sp.TTLSecondsAfterFinished != nil {
		d.line(0, "TTL Seconds After Finished:\t%v", *sp.TTLSecondsAfterFinished)
	}
	if st.StartTime != nil {
		d.line(0, "Start Time:\t%s", clock(*st.StartTime))
	}
	if st.CompletionTime != nil {
		d.line(0, "Completed At:\t%s", clock(*st.CompletionTime))
	}
	if st.StartTime != nil && st.CompletionTime != nil {
		d.line(0, "Duration:\t%s", duration.HumanDuration(st.CompletionTime.Sub(st.StartTime.Time)))
	}
	if sp.ActiveDeadlineSeconds != nil {
		d.line(0, "Active Deadline Seconds:\t%ds", *sp.ActiveDeadlineSeconds)
	}
	ready := ""
	if st.Ready != nil {
		ready = fmt.Sprintf(" (%d Ready)", *st.Ready)
	}
	d.line(0, "Pods Statuses:\t%d Active%s / %d Succeeded / %d Failed", st.Active, ready, st.Succeeded, st.Failed)
	if indexed {
		d.line(0, "Completed Indexes:\t%s", none(st.CompletedIndexes))
	}
	d.podTemplate(&sp.Template)
}

func unset[N ~int32 | ~int64](n *N, unit string) string {
	if n == nil {
		return "<unset>"
	}
	return fmt.Sprintf("%d%s", *n, unit)
}

// autoscaler is upstream's describe.go, describeHorizontalPodAutoscalerV2.
func (d *describer) autoscaler(o *autoscalingv2.HorizontalPodAutoscaler) {
	d.head(&o.ObjectMeta, true)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "CreationTimestamp:\t%s", clock(o.CreationTimestamp))
	d.line(0, "Reference:\t%s/%s", o.Spec.ScaleTargetRef.Kind, o.Spec.ScaleTargetRef.Name)
	d.line(0, "Metrics:\t( current / target )")
	for n := range o.Spec.Metrics {
		var status *autoscalingv2.MetricStatus
		if n < len(o.Status.CurrentMetrics) {
			status = &o.Status.CurrentMetrics[n]
		}
		d.line(1, "%s", metricText(&o.Spec.Metrics[n], status))
	}
	d.line(0, "Min replicas:\t%s", unset(o.Spec.MinReplicas, ""))
	d.line(0, "Max replicas:\t%d", o.Spec.MaxReplicas)
	if b := o.Spec.Behavior; b != nil {
		d.line(0, "Behavior:")
		d.behavior("Scale Up", b.ScaleUp)
		d.behavior("Scale Down", b.ScaleDown)
	}
	d.line(0, "%s pods:\t%d current / %d desired", o.Spec.ScaleTargetRef.Kind, o.Status.CurrentReplicas, o.Status.DesiredReplicas)
	if len(o.Status.Conditions) > 0 {
		d.line(0, "Conditions:")
		d.line(1, "Type\tStatus\tReason\tMessage")
		d.line(1, "----\t------\t------\t-------")
		for _, c := range o.Status.Conditions {
			d.line(1, "%s\t%s\t%s\t%s", c.Type, c.Status, c.Reason, c.Message)
		}
	}
}

func (d *describer) behavior(direction string, r *autoscalingv2.HPAScalingRules) {
	if r == nil {
		return
	}
	d.line(1, "%s:", direction)
	if r.StabilizationWindowSeconds != nil {
		d.line(2, "Stabilization Window: %d seconds", *r.StabilizationWindowSeconds)
	}
	if len(r.Policies) > 0 {
		choice := autoscalingv2.MaxChangePolicySelect
		if r.SelectPolicy != nil {
			choice = *r.SelectPolicy
		}
		d.line(2, "Select Policy: %s", choice)
		d.line(2, "Policies:")
		for _, p := range r.Policies {
			d.line(3, "- Type: %s\tValue: %d\tPeriod: %d seconds", p.Type, p.Value, p.PeriodSeconds)
		}
	}
}

// metricText is one metric: what it is now, and what is aimed at.
func metricText(spec *autoscalingv2.MetricSpec, status *autoscalingv2.MetricStatus) string {
	if status == nil {
		status = &autoscalingv2.MetricStatus{}
	}
	average := func(v *autoscalingv2.MetricValueStatus) string {
		if v == nil || v.AverageValue == nil {
			return "<unknown>"
		}
		return v.AverageValue.String()
	}
	value := func(v *autoscalingv2.MetricValueStatus) string {
		if v == nil || v.Value == nil {
			return "<unknown>"
		}
		return v.Value.String()
	}
	utilization := func(head string, target *autoscalingv2.MetricTarget, v *autoscalingv2.MetricValueStatus) string {
		if target.AverageValue != nil {
			return fmt.Sprintf("%s:\t%s / %s", head, average(v), target.AverageValue)
		}
		now, aim := "<unknown>", "<auto>"
		if v != nil && v.AverageUtilization != nil {
			now = fmt.Sprintf("%d%% (%s)", *v.AverageUtilization, average(v))
		}
		if target.AverageUtilization != nil {
			aim = fmt.Sprintf("%d%%", *target.AverageUtilization)
		}
		return fmt.Sprintf("%s  (as a percentage of request):\t%s / %s", head, now, aim)
	}
	switch spec.Type {
	case autoscalingv2.ResourceMetricSourceType:
		var now *autoscalingv2.MetricValueStatus
		if status.Resource != nil {
			now = &status.Resource.Current
		}
		return utilization(fmt.Sprintf("resource %s on pods", spec.Resource.Name), &spec.Resource.Target, now)
	case autoscalingv2.ContainerResourceMetricSourceType:
		var now *autoscalingv2.MetricValueStatus
		if status.ContainerResource != nil {
			now = &status.ContainerResource.Current
		}
		return utilization(fmt.Sprintf("resource %s of container \"%s\" on pods", spec.ContainerResource.Name, spec.ContainerResource.Container),
			&spec.ContainerResource.Target, now)
	case autoscalingv2.PodsMetricSourceType:
		var now *autoscalingv2.MetricValueStatus
		if status.Pods != nil {
			now = &status.Pods.Current
		}
		return fmt.Sprintf("%q on pods:\t%s / %s", spec.Pods.Metric.Name, average(now), spec.Pods.Target.AverageValue)
	case autoscalingv2.ObjectMetricSourceType:
		var now *autoscalingv2.MetricValueStatus
		if status.Object != nil {
			now = &status.Object.Current
		}
		head := fmt.Sprintf("%q on %s/%s ", spec.Object.Metric.Name, spec.Object.DescribedObject.Kind, spec.Object.DescribedObject.Name)
		if spec.Object.Target.Type == autoscalingv2.AverageValueMetricType {
			return fmt.Sprintf("%s(target average value):\t%s / %s", head, average(now), spec.Object.Target.AverageValue)
		}
		return fmt.Sprintf("%s(target value):\t%s / %s", head, value(now), spec.Object.Target.Value)
	case autoscalingv2.ExternalMetricSourceType:
		var now *autoscalingv2.MetricValueStatus
		if status.External != nil {
			now = &status.External.Current
		}
		if spec.External.Target.AverageValue != nil {
			return fmt.Sprintf("%q (target average value):\t%s / %s", spec.External.Metric.Name, average(now), spec.External.Target.AverageValue)
		}
		return fmt.Sprintf("%q (target value):\t%s / %s", spec.External.Metric.Name, value(now), spec.External.Target.Value)
	}
	return fmt.Sprintf("<unknown metric type %q>", spec.Type)
}

// budget is upstream's describe.go, describePodDisruptionBudgetV1.
func (d *describer) budget(o *policyv1.PodDisruptionBudget) {
	d.head(&o.ObjectMeta, true)
	if o.Spec.MinAvailable != nil {
		d.line(0, "Min available:\t%s", o.Spec.MinAvailable.String())
	} else if o.Spec.MaxUnavailable != nil {
		d.line(0, "Max unavailable:\t%s", o.Spec.MaxUnavailable.String())
	}
	if o.Spec.Selector != nil {
		d.line(0, "Selector:\t%s", selectorText(o.Spec.Selector))
	} else {
		d.line(0, "Selector:\t<unset>")
	}
	d.line(0, "Status:")
	d.line(2, "Allowed disruptions:\t%d", o.Status.DisruptionsAllowed)
	d.line(2, "Current:\t%d", o.Status.CurrentHealthy)
	d.line(2, "Desired:\t%d", o.Status.DesiredHealthy)
	d.line(2, "Total:\t%d", o.Status.ExpectedPods)
}
