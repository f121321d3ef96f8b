import java.io.IOException;
import java.net.InetSocketAddress;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Jetty on loopback with one handler: JettyServer. It ends with its input. */
public final class JettyServer {
    private JettyServer() {}

    public static void main(String[] args) throws Exception {
        Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest q, HttpServletResponse a) throws IOException {
                base.setHandled(true);
                a.setContentType("text/html");
                a.getWriter().print(Page.text(q.getQueryString()));
            }
        });
        server.start();
        System.out.println("port " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        server.stop();
    }
}
