package conformance

import (
	"testing"

	"kubewalk/playground/cluster"
)

// What commands make up, and what they leave to the server to say, is the same as the real one's.
func TestPagesGeneratorsAreTheRealOnes(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Controllers = []string{"namespace-controller"} // so that nothing changes by itself
	compareKubectl(t, config, []string{
		"kubectl create deployment web --image=nginx:1.27 --port=80",
		"kubectl expose deployment web --port=80 --target-port=8080 --name=ex --type=NodePort --dry-run=client -o yaml",
		"kubectl expose deployment web --port=80 --dry-run=client -o yaml -n default",
		"kubectl autoscale deployment web --min=1 --max=3 --cpu=50% --dry-run=client -o yaml",
		"kubectl run p --image=nginx --dry-run=client -o yaml --env=A=b --labels=a=b --port=80 --restart=Never --command -- sh -c x",
		"kubectl run p --image=nginx --dry-run=client -o yaml",
		"kubectl create secret docker-registry r --docker-username=u --docker-password=p --docker-email=e --dry-run=client -o yaml",
		"kubectl create secret docker-registry r --docker-username=u --docker-password=p --docker-server=r.example.org --dry-run=client -o yaml",
		"kubectl create secret docker-registry r --docker-username=u",
		"kubectl set env deployment/web A=b",
		"kubectl set env deployment/web --list",
		"kubectl rollout history deployment web",
		"kubectl create service clusterip s --tcp=80:8080",
		"kubectl describe service s",
	})
}
