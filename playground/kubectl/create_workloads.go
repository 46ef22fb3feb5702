package kubectl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// createDeployment is kubectl create deployment.
// Upstream: kubectl pkg/cmd/create/create_deployment.go.
func createDeployment(s *session) error {
	images := splitAll(s.flags.all("image"))
	if !s.flags.has("image") {
		return errors.New(`required flag(s) "image" not set`)
	}
	name, err := s.oneName()
	if err != nil {
		return err
	}
	if len(images) > 1 && len(s.rest) > 0 {
		return errors.New("cannot specify multiple --image options and command")
	}
	labels := map[string]string{"app": name}
	replicas := int32(s.flags.number("replicas", 1))
	d := &appsv1.Deployment{}
	d.Name, d.Labels = name, labels
	d.Spec.Replicas = &replicas
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	for _, image := range images {
		c := corev1.Container{Name: containerName(image), Image: image, Command: s.rest}
		if port := s.flags.number("port", -1); port >= 0 && len(d.Spec.Template.Spec.Containers) == 0 {
			c.Ports = []corev1.ContainerPort{{ContainerPort: int32(port)}}
		}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	return s.generate(d, "deployment")
}

// containerName makes a container's name of its image's.
// Simplified: upstream adds a random end where it has changed a character.
// Upstream: create_deployment.go, buildPodSpec.
func containerName(image string) string {
	name := image[strings.LastIndexByte(image, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "@")
	return strings.NewReplacer("_", "-", ".", "-").Replace(name)
}

// createJob is kubectl create job, from an image or from a CronJob.
// Upstream: kubectl pkg/cmd/create/create_job.go.
func createJob(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	image, from := s.flags.text("image"), s.flags.text("from")
	switch {
	case (image == "") == (from == ""):
		return errors.New("either --image or --from must be specified")
	case from != "" && len(s.rest) > 0:
		return errors.New("cannot specify --from and command")
	}
	job := &batchv1.Job{}
	job.Name = name
	if image != "" {
		job.Spec.Template.Spec.Containers = []corev1.Container{{Name: name, Image: image, Command: s.rest}}
		job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return s.generate(job, "job")
	}
	infos, err := s.fetched([]string{from})
	if err != nil {
		return err
	}
	if len(infos) != 1 {
		return errors.New("from must be an existing cronjob")
	}
	cron, ok := infos[0].object.(*batchv1.CronJob)
	if !ok {
		return errors.New("unknown object type " + infos[0].goType())
	}
	template := cron.Spec.JobTemplate.DeepCopy()
	job.Annotations = map[string]string{"cronjob.kubernetes.io/instantiate": "manual"}
	for k, v := range template.Annotations { // order: each has its own key
		job.Annotations[k] = v
	}
	job.Labels, job.Spec = template.Labels, template.Spec
	yes := true
	job.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: cron.Name, UID: cron.UID, Controller: &yes}}
	return s.generate(job, "job")
}

// createCronJob is kubectl create cronjob. Upstream: kubectl pkg/cmd/create/create_cronjob.go.
func createCronJob(s *session) error {
	var missing []string
	for _, flag := range []string{"image", "schedule"} {
		if !s.flags.has(flag) {
			missing = append(missing, strconv.Quote(flag))
		}
	}
	if missing != nil {
		return fmt.Errorf("required flag(s) %s not set", strings.Join(missing, ", "))
	}
	name, err := s.oneName()
	if err != nil {
		return err
	}
	cron := &batchv1.CronJob{}
	cron.Name, cron.Spec.Schedule = name, s.flags.text("schedule")
	cron.Spec.JobTemplate.Name = name
	spec := &cron.Spec.JobTemplate.Spec.Template.Spec
	spec.Containers = []corev1.Container{{Name: name, Image: s.flags.text("image"), Command: s.rest}}
	spec.RestartPolicy = corev1.RestartPolicy(s.flags.or("restart", string(corev1.RestartPolicyOnFailure)))
	return s.generate(cron, "cronjob")
}
