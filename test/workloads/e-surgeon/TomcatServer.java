import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat on loopback with one servlet: TomcatServer DIRECTORY [start]. It ends with its input, or after its start. */
public final class TomcatServer {
    private TomcatServer() {}

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
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
