// Command clickhouse-server serves the real ClickHouse engine on loopback, for
// tests: over HTTP, and over the native protocol, in the clear and over TLS.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/engine"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "clickhouse-server:", err)
		os.Exit(1)
	}
}

func run() error {
	var users []server.User
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	nativeAddr := flag.String("native", "127.0.0.1:0", "address of the native protocol")
	secureAddr := flag.String("secure", "127.0.0.1:0", "address of the native protocol over TLS; the certificate is server.pem in the folder of the data")
	data := flag.String("data", "", "folder of the data; what is there stays")
	add := func(readOnly bool) func(string) error {
		return func(s string) error {
			name, rest, _ := strings.Cut(s, ":")
			password, token, _ := strings.Cut(rest, ":")
			users = append(users, server.User{Name: name, Password: password, Token: token, ReadOnly: readOnly})
			return nil
		}
	}
	flag.Func("user", "NAME:PASSWORD[:TOKEN] of somebody who may write; may be repeated", add(false))
	flag.Func("reader", "NAME:PASSWORD[:TOKEN] of somebody who may only read; may be repeated", add(true))
	cluster := flag.String("cluster", "", "name of a cluster that this server is a member of")
	shard := flag.String("shard", "", "NAME:PASSWORD@PORT of another shard of the cluster, a server of this kind on this machine")
	verbose := flag.Bool("v", false, "say on standard error what clients are refused for")
	flag.Parse()
	if *data == "" {
		return fmt.Errorf("-data names no folder")
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	native, err := net.Listen("tcp", *nativeAddr)
	if err != nil {
		return err
	}
	config := ""
	if *cluster != "" {
		addr, _ := native.Addr().(*net.TCPAddr)
		var more []server.Shard
		if *shard != "" {
			user, port, _ := strings.Cut(*shard, "@")
			name, password, _ := strings.Cut(user, ":")
			n, err := strconv.Atoi(port)
			if err != nil {
				return fmt.Errorf("-shard names no port")
			}
			more = append(more, server.Shard{Port: n, User: name, Password: password})
		}
		config = server.ClusterConfig(*cluster, addr.Port, more...)
	}
	e, err := engine.Open(*data, config)
	if err != nil {
		return err
	}
	defer e.Close()
	handler := &server.Server{Engine: e, Users: users}
	if *cluster != "" {
		handler.Engine = server.ClusterOfOne{Engine: e}
	}
	if *verbose {
		handler.Log = func(message string) { fmt.Fprintln(os.Stderr, message) }
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	// The engine takes signals for itself, so ours come after it.
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = srv.Shutdown(ctx)
	}()
	secure, err := listenTLS(*secureAddr, filepath.Join(*data, "server.pem"))
	if err != nil {
		return err
	}
	for _, l := range []net.Listener{native, secure} {
		go func() { _ = handler.ServeNative(l) }()
	}
	fmt.Println("listening on", listener.Addr(), native.Addr(), secure.Addr())
	if err := srv.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
