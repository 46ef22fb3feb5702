package rehearsal

import (
	"testing"

	"kubewalk/playground/demo/demofile"
)

// TestImagesOfADemo: what a demo's file says of its images is how their containers behave,
// from a step that changes the image on.
func TestImagesOfADemo(t *testing.T) {
	const demo = `title: {en: A roll-out}
cluster:
  nodes: 1
  images:
    shop:v1: {}
    shop:v2: {crash-after: 1s}
    docker.io/library/shop:v3: {ready-after: 24h}
setup: 5s
end: 60s
manifests:
  shop:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: shop}
    spec:
      selector: {matchLabels: {app: shop}}
      template:
        metadata: {labels: {app: shop}}
        spec:
          containers:
            - {name: shop, image: "shop:v1", readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}}
steps:
  - {id: apply, at: 1s, apply: shop}
  - {id: crashes, at: 15s, kubectl: set image deployment/shop shop=shop:v2}
  - {id: hangs, at: 40s, kubectl: set image deployment/shop shop=shop:v3}
claims:
  - {after: apply, within: 14s, count: 1, objects: {resource: pods, fields: {"status.conditions[Ready].status": "True"}}}
  - {after: crashes, within: 25s, count: 1, objects: {resource: pods, fields: {spec.containers.0.image: shop:v2, status.containerStatuses.0.restartCount: ">= 1"}}}
  - {after: hangs, within: 10s, count: 1, objects: {resource: pods, fields: {spec.containers.0.image: shop:v3, status.phase: Running}}}
  - {after: hangs, within: 20s, always: true, count: 0, objects: {resource: pods, fields: {spec.containers.0.image: shop:v3, "status.conditions[Ready].status": "True"}}}
`
	f, wrong := demofile.Parse("x", "x.yaml", []byte(demo), []string{"en"})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if _, wrong, err := Run(f); err != nil || len(wrong) > 0 {
		t.Fatal(err, wrong)
	}
}
