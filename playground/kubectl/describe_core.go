package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/client"
)

func formatLabels(m map[string]string) string { return labels.FormatLabels(m) }

// controlledBy names an object's controller. Upstream: describe.go, printController.
func (d *describer) controlledBy(obj api.Object) {
	if ref := metav1.GetControllerOfNoCopy(obj); ref != nil {
		d.line(0, "Controlled By:\t%s/%s", ref.Kind, ref.Name)
	}
}

// pod is upstream's describe.go, describePod.
func (d *describer) pod(o *corev1.Pod) {
	d.known = map[string]string{"metadata.name": o.Name, "metadata.namespace": o.Namespace}
	d.head(&o.ObjectMeta, true)
	if o.Spec.Priority != nil {
		d.line(0, "Priority:\t%d", *o.Spec.Priority)
	}
	if o.Spec.PriorityClassName != "" {
		d.line(0, "Priority Class Name:\t%s", o.Spec.PriorityClassName)
	}
	if o.Spec.ServiceAccountName != "" {
		d.line(0, "Service Account:\t%s", o.Spec.ServiceAccountName)
	}
	if o.Spec.NodeName == "" {
		d.line(0, "Node:\t<none>")
	} else {
		d.line(0, "Node:\t%s/%s", o.Spec.NodeName, o.Status.HostIP)
	}
	if o.Status.StartTime != nil {
		d.line(0, "Start Time:\t%s", clock(*o.Status.StartTime))
	}
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	if o.DeletionTimestamp != nil && o.Status.Phase != corev1.PodFailed && o.Status.Phase != corev1.PodSucceeded {
		d.line(0, "Status:\tTerminating (lasts %s)", d.ago(o.DeletionTimestamp.Time))
		if o.DeletionGracePeriodSeconds != nil {
			d.line(0, "Termination Grace Period:\t%ds", *o.DeletionGracePeriodSeconds)
		}
	} else {
		d.line(0, "Status:\t%s", o.Status.Phase)
	}
	if o.Status.Reason != "" {
		d.line(0, "Reason:\t%s", o.Status.Reason)
	}
	if o.Status.Message != "" {
		d.line(0, "Message:\t%s", o.Status.Message)
	}
	d.line(0, "IP:\t%s", o.Status.PodIP)
	if len(o.Status.PodIPs) == 0 {
		d.line(0, "IPs:\t<none>")
	} else {
		d.line(0, "IPs:")
		for _, ip := range o.Status.PodIPs {
			d.line(1, "IP:\t%s", ip.IP)
		}
	}
	d.controlledBy(o)
	if o.Status.NominatedNodeName != "" {
		d.line(0, "NominatedNodeName:\t%s", o.Status.NominatedNodeName)
	}
	if len(o.Spec.InitContainers) > 0 {
		d.containers("Init Containers", o.Spec.InitContainers, o.Status.InitContainerStatuses, "")
	}
	d.containers("Containers", o.Spec.Containers, o.Status.ContainerStatuses, "")
	if len(o.Spec.EphemeralContainers) > 0 {
		var list []corev1.Container
		for _, e := range o.Spec.EphemeralContainers {
			list = append(list, corev1.Container(e.EphemeralContainerCommon))
		}
		d.containers("Ephemeral Containers", list, o.Status.EphemeralContainerStatuses, "")
	}
	if len(o.Spec.ReadinessGates) > 0 {
		d.line(0, "Readiness Gates:")
		d.line(1, "Type\tStatus")
		for _, g := range o.Spec.ReadinessGates {
			status := "<none>"
			for _, c := range o.Status.Conditions {
				if c.Type == g.ConditionType {
					status = string(c.Status)
				}
			}
			d.line(1, "%s \t%s ", g.ConditionType, status)
		}
	}
	if len(o.Status.Conditions) > 0 {
		d.line(0, "Conditions:")
		d.line(1, "Type\tStatus")
		for _, c := range o.Status.Conditions {
			d.line(1, "%s \t%s ", c.Type, c.Status)
		}
	}
	d.volumes(o.Spec.Volumes, "")
	d.line(0, "QoS Class:\t%s", o.Status.QOSClass)
	d.labels("Node-Selectors", o.Spec.NodeSelector)
	d.tolerations("", "Tolerations", "\t", o.Spec.Tolerations)
	d.spread(o.Spec.TopologySpreadConstraints, "")
}

// node is upstream's describe.go, describeNode.
func (d *describer) node(o *corev1.Node) {
	d.line(0, "Name:\t%s", o.Name)
	var roles []string
	for _, k := range sortedKeys(o.Labels) {
		if role, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		}
	}
	d.line(0, "Roles:\t%s", none(strings.Join(roles, ",")))
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "CreationTimestamp:\t%s", clock(o.CreationTimestamp))
	d.taints(o.Spec.Taints)
	d.line(0, "Unschedulable:\t%v", o.Spec.Unschedulable)
	d.lease(o.Name)
	if len(o.Status.Conditions) > 0 {
		d.line(0, "Conditions:")
		d.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage")
		d.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
		for _, c := range o.Status.Conditions {
			d.line(1, "%s \t%s \t%s \t%s \t%s \t%s", c.Type, c.Status, clock(c.LastHeartbeatTime), clock(c.LastTransitionTime), c.Reason, c.Message)
		}
	}
	d.line(0, "Addresses:")
	for _, a := range o.Status.Addresses {
		d.line(1, "%s:\t%s", a.Type, a.Address)
	}
	d.resources(0, "Capacity", o.Status.Capacity)
	d.resources(0, "Allocatable", o.Status.Allocatable)
	info := &o.Status.NodeInfo
	d.line(0, "System Info:")
	for _, pair := range [][2]string{{"Machine ID", info.MachineID}, {"System UUID", info.SystemUUID}, {"Boot ID", info.BootID},
		{"Kernel Version", info.KernelVersion}, {"OS Image", info.OSImage}, {"Operating System", info.OperatingSystem}, {"Architecture", info.Architecture},
		{"Container Runtime Version", info.ContainerRuntimeVersion}, {"Kubelet Version", info.KubeletVersion}} {
		d.line(1, "%s:\t%s", pair[0], pair[1])
	}
	if o.Spec.PodCIDR != "" {
		d.line(0, "PodCIDR:\t%s", o.Spec.PodCIDR)
	}
	if len(o.Spec.PodCIDRs) > 0 {
		d.line(0, "PodCIDRs:\t%s", strings.Join(o.Spec.PodCIDRs, ","))
	}
	d.nodePods(o)
}

func (d *describer) taints(taints []corev1.Taint) {
	d.text.WriteString("Taints:\t")
	if len(taints) == 0 {
		d.text.WriteString("<none>\n")
		return
	}
	taints = slices.Clone(taints)
	sorting.Stable(taints, func(a, b corev1.Taint) int {
		return strings.Compare(string(a.Effect)+","+a.Key, string(b.Effect)+","+b.Key)
	})
	for i, t := range taints {
		if i > 0 {
			d.text.WriteString("\t")
		}
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		d.text.WriteString(text + ":" + string(t.Effect) + "\n")
	}
}

func (d *describer) lease(name string) {
	k := api.KindOf(new(coordinationv1.Lease))
	got, err := d.session.object(&client.Request{Verb: client.Get, Resource: k.GroupVersionResource(), Namespace: "kube-node-lease", Name: name})
	lease, ok := got.(*coordinationv1.Lease)
	if err != nil || !ok {
		d.line(0, "Lease:\tFailed to get lease: %v", err)
		return
	}
	holder, acquired, renewed := "<unset>", "<unset>", "<unset>"
	if lease.Spec.HolderIdentity != nil {
		holder = *lease.Spec.HolderIdentity
	}
	if t := lease.Spec.AcquireTime; t != nil {
		acquired = clock(metav1.NewTime(t.Time))
	}
	if t := lease.Spec.RenewTime; t != nil {
		renewed = clock(metav1.NewTime(t.Time))
	}
	d.line(0, "Lease:")
	d.line(1, "HolderIdentity:\t%s", holder)
	d.line(1, "AcquireTime:\t%s", acquired)
	d.line(1, "RenewTime:\t%s", renewed)
}

// nodePods is upstream's describe.go, describeNodeResource.
func (d *describer) nodePods(o *corev1.Node) {
	found, err := d.items(podKind, metav1.NamespaceAll, "", "spec.nodeName="+o.Name+",status.phase!=Succeeded,status.phase!=Failed")
	if err != nil {
		d.line(0, "Pods:\tnot authorized")
		return
	}
	allocatable := o.Status.Allocatable
	if len(allocatable) == 0 {
		allocatable = o.Status.Capacity
	}
	d.line(0, "Non-terminated Pods:\t(%d in total)", len(found))
	d.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge")
	d.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---")
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	of := func(list corev1.ResourceList, name corev1.ResourceName) string { return share(list, allocatable, name) }
	for _, obj := range found {
		pod := obj.(*corev1.Pod)
		req, lim := podResources(pod)
		d.line(1, "%s\t%s\t\t%s\t%s\t%s\t%s\t%s", pod.Namespace, pod.Name, of(req, corev1.ResourceCPU), of(lim, corev1.ResourceCPU),
			of(req, corev1.ResourceMemory), of(lim, corev1.ResourceMemory), d.ago(pod.CreationTimestamp.Time))
		add(requests, req)
		add(limits, lim)
	}
	d.line(0, "Allocated resources:")
	d.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)")
	d.line(1, "Resource\tRequests\tLimits")
	d.line(1, "--------\t--------\t------")
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		d.line(1, "%s\t%s\t%s", name, of(requests, name), of(limits, name))
	}
}

func add(to, from corev1.ResourceList) {
	for name, q := range from { // order: each has its own key
		sum := to[name]
		sum.Add(q)
		to[name] = sum
	}
}

// podResources are what a Pod's containers ask for and may use together: the
// sum of those that run, or what one init container needs, if that is more.
// Upstream: component-helpers resource/helpers.go, PodRequests and PodLimits.
func podResources(pod *corev1.Pod) (requests, limits corev1.ResourceList) {
	requests, limits = corev1.ResourceList{}, corev1.ResourceList{}
	for n := range pod.Spec.Containers {
		add(requests, pod.Spec.Containers[n].Resources.Requests)
		add(limits, pod.Spec.Containers[n].Resources.Limits)
	}
	for n := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[n]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			add(requests, c.Resources.Requests)
			add(limits, c.Resources.Limits)
			continue
		}
		atLeast(requests, c.Resources.Requests)
		atLeast(limits, c.Resources.Limits)
	}
	return requests, limits
}

func atLeast(list, need corev1.ResourceList) {
	for name, q := range need { // order: each has its own key
		if has := list[name]; has.Cmp(q) < 0 {
			list[name] = q
		}
	}
}

// share is "100m (2%)" of what a node has.
func share(list, of corev1.ResourceList, name corev1.ResourceName) string {
	q, whole := list[name], of[name]
	percent := int64(0)
	if total := whole.MilliValue(); total != 0 {
		percent = int64(float64(q.MilliValue()) / float64(total) * 100)
	}
	return fmt.Sprintf("%s (%d%%)", q.String(), percent)
}

// service is upstream's describe.go, describeService.
func (d *describer) service(o *corev1.Service) {
	d.head(&o.ObjectMeta, true)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Selector:\t%s", formatLabels(o.Spec.Selector))
	d.line(0, "Type:\t%s", o.Spec.Type)
	if o.Spec.IPFamilyPolicy != nil {
		d.line(0, "IP Family Policy:\t%s", *o.Spec.IPFamilyPolicy)
	}
	var families []string
	for _, f := range o.Spec.IPFamilies {
		families = append(families, string(f))
	}
	d.line(0, "IP Families:\t%s", none(strings.Join(families, ",")))
	d.line(0, "IP:\t%s", o.Spec.ClusterIP)
	d.line(0, "IPs:\t%s", none(strings.Join(o.Spec.ClusterIPs, ",")))
	if len(o.Spec.ExternalIPs) > 0 {
		d.line(0, "External IPs:\t%s", strings.Join(o.Spec.ExternalIPs, ","))
	}
	if o.Spec.ExternalName != "" {
		d.line(0, "External Name:\t%s", o.Spec.ExternalName)
	}
	slicesOf, _ := d.items(api.KindOf(new(discoveryv1.EndpointSlice)), o.Namespace, discoveryv1.LabelServiceName+"="+o.Name, "")
	for _, p := range o.Spec.Ports {
		name := p.Name
		if name == "" {
			name = "<unset>"
		}
		d.line(0, "Port:\t%s\t%d/%s", name, p.Port, p.Protocol)
		target := p.TargetPort.StrVal
		if p.TargetPort.Type == intstr.Int {
			target = fmt.Sprint(p.TargetPort.IntVal)
		}
		d.line(0, "TargetPort:\t%s/%s", target, p.Protocol)
		if p.NodePort != 0 {
			d.line(0, "NodePort:\t%s\t%d/%s", name, p.NodePort, p.Protocol)
		}
		d.line(0, "Endpoints:\t%s", endpointsOf(slicesOf, p.Name))
	}
	d.line(0, "Session Affinity:\t%s", o.Spec.SessionAffinity)
	if o.Spec.ExternalTrafficPolicy != "" {
		d.line(0, "External Traffic Policy:\t%s", o.Spec.ExternalTrafficPolicy)
	}
	if o.Spec.InternalTrafficPolicy != nil {
		d.line(0, "Internal Traffic Policy:\t%s", *o.Spec.InternalTrafficPolicy)
	}
	if o.Spec.HealthCheckNodePort != 0 {
		d.line(0, "HealthCheck NodePort:\t%d", o.Spec.HealthCheckNodePort)
	}
	if len(o.Spec.LoadBalancerSourceRanges) > 0 {
		d.line(0, "LoadBalancer Source Ranges:\t%s", strings.Join(o.Spec.LoadBalancerSourceRanges, ","))
	}
}

// endpointsOf are the first ready endpoints of a port.
// Upstream: describe.go, formatEndpointSlices.
func endpointsOf(objects []api.Object, port string) string {
	if len(objects) == 0 {
		return "<none>"
	}
	const most = 3
	var all []string
	for _, obj := range objects {
		slice, ok := obj.(*discoveryv1.EndpointSlice)
		if !ok {
			continue
		}
		for _, p := range slice.Ports {
			if p.Port == nil || p.Name != nil && *p.Name != port || p.Name == nil && port != "" {
				continue
			}
			for _, e := range slice.Endpoints {
				if len(e.Addresses) > 0 && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
					all = append(all, fmt.Sprintf("%s:%d", e.Addresses[0], *p.Port))
				}
			}
		}
	}
	if len(all) > most {
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:most], ","), len(all)-most)
	}
	return strings.Join(all, ",")
}

// namespaceObject is upstream's describe.go, describeNamespace.
func (d *describer) namespaceObject(o *corev1.Namespace) {
	d.line(0, "Name:\t%s", o.Name)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Status:\t%s", o.Status.Phase)
	if len(o.Status.Conditions) > 0 {
		d.line(0, "Conditions:")
		d.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage")
		d.line(1, "----\t------\t------------------\t------\t-------")
		for _, c := range o.Status.Conditions {
			d.line(1, "%s\t%s\t%s\t%s\t%s", c.Type, c.Status, clock(c.LastTransitionTime), c.Reason, c.Message)
		}
	}
	quotas, err := d.items(api.KindOf(new(corev1.ResourceQuota)), o.Name, "", "")
	if err != nil && !apierrors.IsNotFound(err) {
		return
	}
	d.line(0, "")
	if len(quotas) == 0 {
		d.line(0, "No resource quota.")
	} else {
		d.line(0, "Resource Quotas")
		for _, obj := range quotas {
			q := obj.(*corev1.ResourceQuota)
			d.line(1, "Name:\t%s", q.Name)
			d.line(1, "Resource\tUsed\tHard")
			d.line(1, "--------\t---\t---")
			for _, name := range resourceNames(q.Status.Hard) {
				used, hard := q.Status.Used[name], q.Status.Hard[name]
				d.line(1, "%s\t%s\t%s", name, used.String(), hard.String())
			}
		}
	}
	limits, _ := d.items(api.KindOf(new(corev1.LimitRange)), o.Name, "", "")
	d.line(0, "")
	if len(limits) == 0 {
		d.line(0, "No LimitRange resource.")
		return
	}
	d.line(0, "Resource Limits")
	d.line(0, " Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
	d.line(0, " ----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
	for _, obj := range limits {
		for _, item := range obj.(*corev1.LimitRange).Spec.Limits {
			d.limit(" ", &item)
		}
	}
}

func (d *describer) limit(indent string, item *corev1.LimitRangeItem) {
	all := corev1.ResourceList{}
	lists := []corev1.ResourceList{item.Min, item.Max, item.DefaultRequest, item.Default, item.MaxLimitRequestRatio}
	for _, list := range lists {
		add(all, list)
	}
	for _, name := range resourceNames(all) {
		row := fmt.Sprintf("%s%s\t%s", indent, item.Type, name)
		for _, list := range lists {
			cell := "-"
			if q, ok := list[name]; ok {
				cell = q.String()
			}
			row += "\t" + cell
		}
		d.line(0, "%s", row)
	}
}

func (d *describer) configMap(o *corev1.ConfigMap) {
	d.head(&o.ObjectMeta, true)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.text.WriteString("\nData\n====\n")
	for _, k := range sortedKeys(o.Data) {
		d.text.WriteString(k + ":\n----\n" + o.Data[k] + "\n\n")
	}
	d.text.WriteString("\nBinaryData\n====\n")
	for _, k := range sortedKeys(o.BinaryData) {
		d.line(0, "%s: %d bytes", k, len(o.BinaryData[k]))
	}
	d.line(0, "")
}

func (d *describer) secret(o *corev1.Secret) {
	d.head(&o.ObjectMeta, true)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.text.WriteString("\nType:\t" + string(o.Type) + "\n\nData\n====\n")
	for _, k := range sortedKeys(o.Data) {
		d.line(0, "%s:\t%d bytes", k, len(o.Data[k]))
	}
}

func (d *describer) quota(o *corev1.ResourceQuota) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "Resource\tUsed\tHard")
	d.line(0, "--------\t----\t----")
	for _, name := range resourceNames(o.Status.Hard) {
		used, hard := o.Status.Used[name], o.Status.Hard[name]
		d.line(0, "%s\t%s\t%s", name, used.String(), hard.String())
	}
}

// claim is upstream's describe.go, describePersistentVolumeClaim.
// accessModes is upstream's GetAccessModesAsString.
func accessModes(list []corev1.PersistentVolumeAccessMode) string {
	var modes []string
	for _, m := range list {
		modes = append(modes, map[corev1.PersistentVolumeAccessMode]string{corev1.ReadWriteOnce: "RWO", corev1.ReadOnlyMany: "ROX", corev1.ReadWriteMany: "RWX",
			corev1.ReadWriteOncePod: "RWOP"}[m])
	}
	return strings.Join(modes, ",")
}

func (d *describer) claim(o *corev1.PersistentVolumeClaim) {
	d.head(&o.ObjectMeta, true)
	class := ""
	if o.Spec.StorageClassName != nil {
		class = *o.Spec.StorageClassName
	}
	d.line(0, "StorageClass:\t%s", class)
	if o.DeletionTimestamp != nil {
		d.line(0, "Status:\tTerminating (lasts %s)", d.ago(o.DeletionTimestamp.Time))
	} else {
		d.line(0, "Status:\t%s", o.Status.Phase)
	}
	d.line(0, "Volume:\t%s", o.Spec.VolumeName)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Finalizers:\t%v", o.Finalizers)
	capacity := ""
	modes := ""
	if o.Spec.VolumeName != "" {
		q := o.Status.Capacity[corev1.ResourceStorage]
		capacity = q.String()
		modes = accessModes(o.Status.AccessModes)
	}
	d.line(0, "Capacity:\t%s", capacity)
	d.line(0, "Access Modes:\t%s", modes)
	if o.Spec.VolumeMode != nil {
		d.line(0, "VolumeMode:\t%s", *o.Spec.VolumeMode)
	}
	var users []string
	pods, _ := d.items(podKind, o.Namespace, "", "")
	for _, obj := range pods {
		for _, v := range obj.(*corev1.Pod).Spec.Volumes {
			if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == o.Name {
				users = append(users, obj.GetName())
			}
		}
	}
	d.line(0, "Used By:\t%s", none(strings.Join(users, "\n\t")))
}
