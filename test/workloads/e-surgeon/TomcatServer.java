import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;

/** Tomcat on loopback with one servlet: TomcatServer DIRECTORY [start]. It ends with its input, or after its start. */
public final class TomcatServer {
    private TomcatServer() {}

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        // Not by Tomcat.addContext: that looks for annotations, whose classes Debian has in another package.
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setDocBase(new File(args[0]).getAbsolutePath());
        context.setIgnoreAnnotations(true);
        context.addLifecycleListener(event -> context.setConfigured(true));
        tomcat.getHost().addChild(context);
        Tomcat.addServlet(context, "page", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest q, HttpServletResponse a) throws IOException {
                a.setContentType("text/html");
                a.getWriter().print(Page.text(q.getQueryString()));
            }
        });
        context.addServletMappingDecoded("/*", "page");
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        if (args.length < 2) {
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        tomcat.stop();
        tomcat.destroy();
    }
}
